// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of layouts as numbers: which ops work on blocks so that they and the repacks between
// them cost least.

#ifndef CAMEO_SELECT_LAYOUTPROBLEM_H
#define CAMEO_SELECT_LAYOUTPROBLEM_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace cameo {

class LayoutProblem {
public:
  /// An op that can work on blocks; what it costs more than dense then, repacks not counted,
  /// negative where it saves. `isRequired`: it has no dense form.
  unsigned addOp(int64_t cost, bool isRequired);
  /// A value of that price of a repack. `writer`: the op that makes it in blocks if it works on
  /// these; none makes it dense.
  unsigned addValue(int64_t repack, std::optional<unsigned> writer);
  /// An op that reads a value as it works.
  void addReader(unsigned value, unsigned op);
  /// Says that a value is read dense in any case.
  void setReadDense(unsigned value) { values[value].isReadDense = true; }

  /// The ops that work on blocks in the cheapest choice: of choices that cost the same, that with
  /// the fewest of them.
  llvm::BitVector solve() const;
  /// The price of a choice, which has all required ops.
  int64_t getCost(const llvm::BitVector &inBlocks) const;

private:
  struct Op {
    int64_t cost;
    bool isRequired;
  };
  struct Value {
    int64_t repack;
    std::optional<unsigned> writer;
    llvm::SmallVector<unsigned, 2> readers;
    bool isReadDense = false;
  };

  /// By how many bits costs are shortened, so that all of them together are below what no cut pays.
  unsigned getShift() const;

  llvm::SmallVector<Op, 0> ops;
  llvm::SmallVector<Value, 0> values;
};

} // namespace cameo

#endif // CAMEO_SELECT_LAYOUTPROBLEM_H
