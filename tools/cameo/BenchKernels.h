// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a profile, each beside what its time is held against: on the host what the machine can
// do at most, on a device what was predicted.

#ifndef CAMEO_TOOLS_BENCHKERNELS_H
#define CAMEO_TOOLS_BENCHKERNELS_H

#include "Predictions.h"

namespace cameo::cli {

struct KernelTable {
  /// The machine's, in programs without a device.
  Roofline roofline;
  std::optional<DeviceFacts> device;
  std::optional<Predictions> predictions;

  /// `profile`, and `roofline` or `predicted`, of the report.
  void addTo(llvm::json::Object &report, llvm::ArrayRef<KernelProfile> profile) const;
  llvm::json::Object describeDevice() const;
  /// The longest first.
  std::string toText(llvm::ArrayRef<KernelProfile> profile) const;

private:
  const Prediction *findPrediction() const;
  double getBound(const KernelProfile &kernel) const;
  llvm::json::Object toJson(const KernelProfile &kernel) const;
  std::string getHeading() const;
  /// The cell of the last column: how a kernel does.
  std::string judge(const KernelProfile &kernel) const;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_BENCHKERNELS_H
