// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ways of running a call take least time where its extents are open: one for each range of a
// number that these make.

#ifndef CAMEO_KERNELS_RANGES_H
#define CAMEO_KERNELS_RANGES_H

#include "Kernels/Variants.h"

namespace cameo {

struct Range {
  Candidate candidate;
  /// A problem in the range, by which the candidate is explained.
  Problem problem;
  /// The most that the number is; of the last range there is none.
  std::optional<int64_t> most;
};

struct RangedChoice {
  /// The number that tells ranges apart; null where there is one range.
  core::ExtentAttr measure;
  /// In ascending order, at most three; none where all variants have a guard that does not hold.
  llvm::SmallVector<Range, 3> ranges;
  /// The range of the sizes that costs are weighed by elsewhere.
  size_t usual = 0;
};

/// The cheapest variants of `contract` at the sizes that the problem's symbols may have. A second
/// range saves a fiftieth at least of what one costs beside the best at each size, in the mean over
/// powers of two; a third a twentieth beside two, since text and constants count. A plan
/// that keeps variants (Kept.h) has them taken as they are: failure where they cannot be.
llvm::FailureOr<RangedChoice> chooseByRanges(llvm::StringRef contract, const Problem &problem);

} // namespace cameo

#endif // CAMEO_KERNELS_RANGES_H
