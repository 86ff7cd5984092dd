// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call as the variants of its contract see it (codegen_templates/records/variant.td): what their
// guards and amounts name.

#ifndef CAMEO_KERNELS_PROBLEM_H
#define CAMEO_KERNELS_PROBLEM_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace cameo {

/// A number from 0 on that does not leave 64 bits: a sum of prices, or what counts them.
class Amount {
public:
  constexpr Amount(int64_t value = 0, bool isKnown = true) : value(value), known(isKnown) {}
  constexpr int64_t get() const { return value; }
  /// Whether an element of a member is the number at every run.
  constexpr bool isKnown() const { return known; }

private:
  int64_t value;
  bool known;
};

// Not friends: what converts to an amount takes them too.
Amount operator+(Amount a, Amount b);
Amount operator*(Amount a, Amount b);
inline Amount operator-(Amount a, Amount b) { return a.get() - b.get(); }
inline Amount operator/(Amount a, Amount b) { return a.get() / b.get(); }
inline Amount operator%(Amount a, Amount b) { return a.get() % b.get(); }
inline bool operator==(Amount a, Amount b) { return a.get() == b.get(); }
inline bool operator<(Amount a, Amount b) { return a.get() < b.get(); }
inline bool operator>(Amount a, Amount b) { return b < a; }
inline bool operator<=(Amount a, Amount b) { return !(b < a); }
inline bool operator>=(Amount a, Amount b) { return !(a < b); }

/// A function over integers, of amounts or what converts to them.
template <auto function, class... Numbers> auto callWith(const Numbers &...numbers) {
  return function(Amount(numbers).get()...);
}

class Problem {
public:
  /// A member of the contract's p: a number, or several.
  class Member {
  public:
    operator Amount() const { return numbers.front(); }
    Amount operator[](size_t axis) const { return numbers[axis]; }

  private:
    friend class Problem;
    llvm::SmallVector<core::ExtentAttr, 2> extents;
    llvm::SmallVector<Amount, 2> numbers;
    /// By element, the largest number that is known to divide it; 0 of 0.
    llvm::SmallVector<int64_t, 2> divisors;
  };

  /// For a call at `op` by the kernels of `side`, that which computes where none is said; extents
  /// are estimated by `facts`, which outlive the problem.
  Problem(mlir::Operation *op, core::TargetSideAttr side, const core::ExtentFacts &facts);
  Problem(mlir::Operation *op, const core::ExtentFacts &facts);

  Problem &set(llvm::StringRef member, llvm::ArrayRef<core::ExtentAttr> extents);
  /// As params of a call have them: integers, flags, extents, and arrays of extents.
  Problem &set(const mlir::NamedAttrList &members);
  /// Says of an operand that the compiler has its elements; that it lies in planes; that its
  /// channels are read by a list of their numbers.
  Problem &setConstant(llvm::StringRef operand, bool is);
  Problem &setPlanes(llvm::StringRef operand, bool are);
  Problem &setListed(llvm::StringRef operand, bool are);
  /// The most bytes that the compiler may make of a constant; any number where it is not said.
  Problem &setBudget(int64_t bytes);
  /// The same with extents estimated by other facts, of the same symbols.
  Problem estimateBy(const core::ExtentFacts &others) const;
  const core::ExtentFacts &getFacts() const { return *facts; }
  llvm::ArrayRef<core::ExtentAttr> getExtents(llvm::StringRef member) const;
  /// Null where the module has no target.
  core::MachineAttr getMachine() const { return machine; }
  mlir::MLIRContext *getContext() const { return context; }
  /// Whether what is chosen is explained (explainChoices).
  bool isExplained() const { return explained; }
  mlir::ModuleOp getModule() const;
  mlir::Location getLocation() const { return op->getLoc(); }
  /// The first node that the call computes, as reports have it.
  std::string getNode() const;
  /// The set of kernels; empty where the module has no target.
  llvm::StringRef getKernels() const { return kernels; }

  // Expressions name these.
  const Member &get(llvm::StringRef member) const;
  bool known(const Member &member) const {
    return llvm::all_of(member.numbers, [](Amount number) { return number.isKnown(); });
  }
  bool known(Amount element) const { return element.isKnown(); }
  /// The product of all elements.
  Amount volume(const Member &member) const;
  /// Whether all elements are multiples of a number at every run.
  bool multiple(const Member &member, Amount of) const {
    return llvm::all_of(member.divisors, [&](int64_t divisor) { return divisor % of.get() == 0; });
  }
  bool constant(llvm::StringRef operand) const { return constants.contains(operand); }
  bool fits_budget(Amount bytes) const { return bytes <= budget; }
  bool are_planes(llvm::StringRef operand) const { return planes.contains(operand); }
  bool are_listed(llvm::StringRef operand) const { return listed.contains(operand); }
  Amount ceil_div(Amount a, Amount b) const { return (a + b - 1) / b; }
  Amount align(Amount a, Amount to) const { return ceil_div(a, to) * to; }
  /// Whether so many bytes are at most a cache that is a core's own.
  bool fits(Amount bytes) const;
  /// How exact results are to be, and whether the program has no heap.
  bool fast() const { return precision <= core::Precision::Fast; }
  bool exact() const { return precision == core::Precision::Exact; }
  bool bounded() const { return isBounded; }

private:
  mlir::Operation *op;
  const core::ExtentFacts *facts;
  mlir::MLIRContext *context;
  core::MachineAttr machine;
  llvm::StringRef kernels;
  core::Precision precision;
  bool isBounded, explained;
  llvm::StringMap<Member> members;
  llvm::StringSet<> constants, planes, listed;
  int64_t budget = std::numeric_limits<int64_t>::max();
};

} // namespace cameo

#endif // CAMEO_KERNELS_PROBLEM_H
