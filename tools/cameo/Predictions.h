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

/// A machine's.
struct Prediction {
  std::string machine, arch;
  /// A run's that a stream launches, with the gaps between its kernels, and the least it can be.
  double microseconds = 0, limitMicroseconds = 0;
  /// By kernel function, all its launches in a run together.
  std::map<std::string, double> kernels;

  /// None where nothing is predicted of it.
  std::optional<double> find(const std::string &kernel) const;
};

class Predictions {
public:
  /// On failure says why (exit 3, or 4 where the file is something else).
  std::optional<Diagnostic> read(const std::string &path);

  /// That of the first machine that has the device's instructions; null where there is none.
  const Prediction *find(const DeviceFacts &device) const;
  /// `H100 (sm_90), A100 (sm_80)`.
  std::string listMachines() const;

private:
  std::vector<Prediction> all;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_PREDICTIONS_H
