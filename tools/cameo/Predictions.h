// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicted times of a model's kernels on devices, as bench/gpu/static writes them (--predicted).

#ifndef CAMEO_TOOLS_PREDICTIONS_H
#define CAMEO_TOOLS_PREDICTIONS_H

#include "Driver.h"

#include <map>
#include <string>
#include <vector>

namespace cameo::cli {

/// A kernel function: all its launches in a run together.
struct PredictedKernel {
  double microseconds = 0;
  int64_t launches = 0;
  /// The part of the machine that is busy all the time, `memory`, `issue` or `tensor core`; or
  /// `latency`.
  std::string binds;
};

/// A machine's.
struct Prediction {
  std::string machine, arch;
  /// A run's that a stream launches, with the gaps between its kernels, and the least it can be.
  double microseconds = 0, limitMicroseconds = 0;
  /// By kernel function.
  std::map<std::string, PredictedKernel> kernels;

  /// Null where nothing is predicted of it.
  const PredictedKernel *find(const std::string &kernel) const;
};

class Predictions {
public:
  /// On failure says why (exit 3, or 4 where the file is something else).
  std::optional<Diagnostic> read(const std::string &path);

  /// That of the first machine that has the device's instructions; null where there is none.
  const Prediction *find(const DeviceFacts &device) const;
  llvm::ArrayRef<Prediction> getAll() const { return all; }
  /// `H100 (sm_90), A100 (sm_80)`.
  std::string listMachines() const;

private:
  std::vector<Prediction> all;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_PREDICTIONS_H
