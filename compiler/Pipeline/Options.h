// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that steers a compilation, in one struct; tools fill it from their flags.

#ifndef CAMEO_PIPELINE_OPTIONS_H
#define CAMEO_PIPELINE_OPTIONS_H

#include "Emit/EmitOptions.h"
#include "Import/ImportOptions.h"
#include "Pipeline/PlacementPlan.h"

#include <string>
#include <vector>

namespace cameo {

struct Options {
  ImportOptions import;
  /// Dims from the user: `name=4` or `name=1..64`.
  std::vector<std::string> dims;
  /// Assertions about values, and whole values, from the user: `k in 1..64`, `pads=[0, 0, 1, 1]`.
  std::vector<std::string> asserts, values;
  /// Where the user wants values: `REGEX=host` or `REGEX=device`.
  std::vector<std::string> pins;
  /// The plan of an earlier compilation, as if said before all of these.
  PlacementPlan plan;
  /// Whether an operator that the device has no kernel for runs on the host; else it is refused.
  bool fallsBackToHost = false;
  /// Whether the shape algebra removes chains of integers (--algebra).
  bool algebra = true;
  /// Exactness that may be traded for speed (--precision).
  core::Precision precision = core::Precision::Fast;
  /// How many times the model's weights the program's may be, as far as kernels have a choice; 0:
  /// twice, or 16 MiB more where that is more (--weights-budget).
  double weightsBudget = 0;
  /// How many times its operators the model may have once what reads results of branches of another
  /// rank is in both branches (--max-branch-growth).
  int64_t maxBranchGrowth = 4;
  /// Whether outputs are written at strides of the caller's where kernels can (--strided-outputs).
  bool stridesOutputs = false;
  /// Whether NAME.cdx.json is among the files, which says what they are made of.
  bool listsParts = false;
  /// Target, name of the library, and what its files look like.
  EmitOptions emit;
  /// Whether the module behind Place says why each value is where it is (PlacementReport).
  bool explainPlacement = false;
  /// Whether calls say what was weighed for them (KernelReport).
  bool explainKernels = false;
  /// Whether MLIR's verifier runs behind every pass, not only behind the first and the last stage.
  /// It then names the pass at fault, and sees what a later one would have repaired or crashed on.
  /// On in every build but Release.
#ifdef CAMEO_VERIFY_PASSES
  bool verifyPasses = true;
#else
  bool verifyPasses = false;
#endif
  /// Whether what was compiled is freed. A process that ends with the result leaves that to the
  /// system: 5 % of the time of a long model.
  bool freesMemory = true;
};

} // namespace cameo

#endif // CAMEO_PIPELINE_OPTIONS_H
