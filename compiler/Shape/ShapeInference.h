// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the Shape stage while it walks a function in order.

#ifndef CAMEO_SHAPE_SHAPEINFERENCE_H
#define CAMEO_SHAPE_SHAPEINFERENCE_H

#include "Dialect/ONNX/IR/KnownValues.h"
#include "Shape/OpenBranches.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace cameo {

class Assertions;
class SideAnalysis;

/// Whether the elements of an operand of an onnx operator decide an extent or a branch.
bool decidesExtents(mlir::OpOperand &operand);

class ShapeInference {
public:
  struct Options {
    /// How many times its operators the model may have.
    int64_t maxGrowth;
    /// Whether integers are followed through the operators that compute with them.
    bool algebra;
  };

  /// With `sides`, binds only what is on the host there.
  ShapeInference(mlir::func::FuncOp function, core::ExtentFacts facts, Options options,
                 Assertions &assertions, const SideAnalysis *sides = nullptr);

  /// Infers the whole function, in order, and overwrites all that an earlier run left but for its
  /// prog.bind_elements.
  llvm::LogicalResult run();
  /// Behind the last run(): gives outputs whose rank a branch decides the most dims that they may
  /// have.
  llvm::LogicalResult closeOutputs() { return openBranches.finish(); }
  /// Whether operators went into branches, or branches took the place of one.
  bool hasCopied() const { return openBranches.hasCopied() || hasBranched; }

  llvm::LogicalResult inferBlock(mlir::Block &block);
  /// Infers the ops from `op` up to `end`, null for the end of their block; all in front of them is
  /// inferred.
  llvm::LogicalResult inferRange(mlir::Operation *op, mlir::Operation *end);
  /// Behind the typing of a value: states what the user asserts of it, and binds it.
  llvm::LogicalResult settle(mlir::Value value);
  /// Gives symbols to what is demanded and not known.
  void bindIfDemanded(mlir::Value value);
  /// Forgets what was inferred of the ops from `first` up to `end`, null for the end of their
  /// block, and removes the symbols that this has defined.
  void forget(mlir::Operation *first, mlir::Operation *end);
  /// As forget(), of all inside `op`.
  void forgetInside(mlir::Operation *op);
  void erase(mlir::Operation *op);
  /// Whether this may be a round of a loop behind which another one knows less: what is done for
  /// good waits until the last.
  bool isTentative() const { return numTentative != 0; }
  void enterTentative() { ++numTentative; }
  void leaveTentative() { --numTentative; }

  /// Whether an extent or a branch follows from the value.
  bool isDemanded(mlir::Value value) const { return demanded.contains(value); }
  /// `copy` decides what `original` does.
  void copyDemand(mlir::Value original, mlir::Value copy);
  /// Puts `to` in the place of `from`, with what is known of it.
  void replace(mlir::Value from, mlir::Value to);

  /// A symbol with a name that no other has, made from `hint`, which `definer` defines.
  core::SymbolAttr newSymbol(llvm::StringRef hint, core::ExtentRange values,
                             mlir::Operation *definer, core::ExtentAttr bound = {});
  /// As newSymbol, for a number of things of which there are at most `bound` (null: not known).
  core::SymbolAttr newCount(llvm::StringRef hint, core::ExtentAttr bound, mlir::Operation *definer);

  /// Whether an extent is a symbol that is in [0, bound], by its own bound.
  bool isCountWithin(core::ExtentAttr extent, core::ExtentAttr bound) const;
  /// How many of the first `bound` elements of `counted` are not 0, where an operator in front of
  /// `user` has counted them; else null.
  core::ExtentAttr findCount(mlir::Value counted, core::ExtentAttr bound,
                             mlir::Operation *user) const;
  void setCount(mlir::Value counted, core::ExtentAttr bound, mlir::Operation *definer,
                core::SymbolAttr symbol);

  /// Behind a run without sides: has operands of class Bounded treated as Symbolic whose integers
  /// lie between 0 and something.
  void markBoundedOperands();
  /// The elements of an operand of class Symbolic: symbols on the device where they are not known.
  std::optional<onnx::ExtentValues> getSymbols(mlir::Value value);
  /// The results of getSymbols() that are known by such symbols only.
  const llvm::MapVector<mlir::Value, onnx::ExtentValues> &getSymbolsOnDevice() const {
    return symbolsOnDevice;
  }
  /// Whether the device has the value of a symbol of `extent`, and the host a bound at most.
  bool isOnDevice(core::ExtentAttr extent) const;
  /// Whether a symbol of `extent` is better said than its normal form.
  bool isLong(core::ExtentAttr extent) const;
  /// A symbol of `extent`, which is on the device and in [0, bound].
  core::ExtentAttr defineCount(llvm::StringRef hint, core::ExtentAttr extent,
                               core::ExtentAttr bound, mlir::Operation *user);

  /// `extent`, or where it is long a symbol that is defined as it before `user`.
  core::ExtentAttr nameIfLong(llvm::StringRef hint, core::ExtentAttr extent, mlir::Operation *user);
  /// Names extents until their product is not long either: the size of a tensor.
  void nameUntilProductIsShort(llvm::StringRef hint,
                               llvm::MutableArrayRef<core::ExtentAttr> extents,
                               mlir::Operation *user);
  /// `element`, which is in [min, max] wherever `user` runs: because that is known, or by a check
  /// where its symbol gets its value.
  core::ExtentAttr checkRange(llvm::StringRef hint, core::ExtentAttr element, int64_t min,
                              int64_t max, mlir::Operation *user);
  /// `extent` without the symbols that are defined as extents inside `op`.
  core::ExtentAttr expandDefinitionsIn(mlir::Operation *op, core::ExtentAttr extent) const;
  /// Whether a symbol of `extent` gets its value inside `op`, or in each iteration of it.
  bool isDefinedIn(mlir::Operation *op, core::ExtentAttr extent) const;
  /// From now on `definer` gives `symbols` their values.
  void redefine(mlir::ArrayAttr symbols, mlir::Operation *definer);

  /// The op that gives a symbol its value; null for a dim of an input.
  mlir::Operation *getDefiner(llvm::StringRef symbol) const { return definers.lookup(symbol); }
  /// A fact that only costs go by.
  void setLikely(llvm::StringRef symbol, int64_t value);
  const Assertions &getAssertions() const { return assertions; }

  KnownValues &getKnownValues() { return known; }
  const KnownValues &getKnownValues() const { return known; }
  core::ExtentFacts &getFacts() { return facts; }
  const core::ExtentFacts &getFacts() const { return facts; }
  /// The facts on the symbols of the function's inputs.
  llvm::SmallVector<core::SymbolAttr> getInputSymbols();
  unsigned getNumBound() const { return numBound; }

private:
  /// Learns from a demand of the model on an integer tensor, unless it is known to hold, or not to.
  llvm::LogicalResult learn(prog::AssertOp demand);
  /// Infers one operator, control flow with its regions; gives the one to go on with.
  llvm::FailureOr<mlir::Operation *> inferOp(mlir::Operation *op);
  /// Puts branches in the place of an operator whose rank the run alone can tell; gives the op with
  /// which they begin, null for any other operator.
  mlir::Operation *branchOnRank(onnx::OnnxOp op);
  /// Without the algebra: forgets what an operator makes of its operands' elements.
  void forgetComputed(onnx::OnnxOp op);
  /// Refuses extents that follow from what is known and that 64 bits cannot hold.
  llvm::LogicalResult checkExtents(onnx::OnnxOp op) const;
  /// Marks the values whose elements decide an extent or a branch, through chains of small
  /// integers.
  void findDemand();
  /// Whether integers that the device computes lie between 0 and something, by what computes them.
  bool areBounded(mlir::Value value) const;
  /// The elements of `value`: what is known of them, symbols for the others.
  onnx::ExtentValues bind(mlir::Value value, bool onDevice);
  /// A symbol defined as `extent`, as early as possible in the block of `user`: in the range
  /// `checked`, or a count of at most `bound`, where these are given.
  core::ExtentAttr define(llvm::StringRef hint, core::ExtentAttr extent, mlir::Operation *user,
                          std::optional<core::ExtentRange> checked = std::nullopt,
                          core::ExtentAttr bound = {});
  void nameLongElements(mlir::Value value);
  /// A symbol defined as `extent`; that itself where `user` gives one of its symbols a value.
  core::ExtentAttr nameIfKnownBefore(llvm::StringRef hint, core::ExtentAttr extent,
                                     mlir::Operation *user);
  /// Makes the run check the range of `symbol` where that gets its value, unless it is known.
  /// False where `user` need not run when that happens.
  bool restrictRange(core::ExtentAttr symbol, core::ExtentRange checked, mlir::Operation *user);
  /// Has the op that defines a symbol, if one does, say what is known of it now.
  void restateDefinition(llvm::StringRef symbol);
  template <class Visit> void forEachDefiner(core::ExtentAttr extent, Visit visit) const;
  void useSymbolsOf(mlir::Type type);

  mlir::func::FuncOp function;
  core::ExtentFacts facts;
  Options options;
  Assertions &assertions;
  const SideAnalysis *sides;
  KnownValues known;
  OpenBranches openBranches;
  llvm::DenseSet<mlir::Value> demanded, demandedByHost, demandedInRange, demandedAsSymbols;
  llvm::MapVector<mlir::Value, onnx::ExtentValues> symbolsOnDevice;
  struct Count {
    mlir::Operation *definer;
    core::SymbolAttr symbol;
  };
  llvm::MapVector<std::pair<mlir::Value, core::ExtentAttr>, Count> counts;
  /// Demands of the model that have been learnt from.
  llvm::DenseSet<mlir::Operation *> learnt;
  /// The symbols of inputs, in the order in which they appeared.
  llvm::SmallVector<llvm::StringRef> inputSymbols;
  /// By symbol, but those of inputs: the op that defines it.
  llvm::DenseMap<llvm::StringRef, mlir::Operation *> definers;
  /// By extent: its definitions so far, each in another block.
  llvm::DenseMap<core::ExtentAttr, llvm::SmallVector<prog::DefineOp, 1>> definitions;
  llvm::StringSet<> names;
  /// The symbols that only the device has.
  llvm::StringSet<> namesOnDevice;
  /// The last number behind a hint whose name was taken.
  llvm::StringMap<unsigned> numbers;
  unsigned numBound = 0, numTentative = 0;
  bool hasBranched = false;
};

/// Why a branch cannot be run: an operator in it contradicts what it reads.
struct Contradiction {
  std::string problem;
  mlir::Location location;
};

/// The only branch of an If that can be run, and why the other cannot.
struct OnlyBranch {
  bool isThen;
  Contradiction why;
};

/// Runs `infer` on both branches of `op`. A mistake of the model in a branch is none where the
/// condition keeps a run from it: gives the branch that is left, nullopt where both can be run.
/// Fails, with the diagnostic, if neither can, or if no run could insist on the condition.
llvm::FailureOr<std::optional<OnlyBranch>>
inferBranches(onnx::IfOp op, llvm::function_ref<llvm::LogicalResult(bool isThen)> infer);

/// Puts the only branch of an If in its place, behind a demand on its condition. Nothing of it is
/// inferred then. Gives the demand.
mlir::Operation *takeOnly(onnx::IfOp op, const OnlyBranch &only, ShapeInference &inference);

/// While it lives, the condition of a branch has the value with which the branch is taken.
class AssumedCondition {
public:
  AssumedCondition(mlir::Value condition, bool value, KnownValues &known);
  ~AssumedCondition();

private:
  mlir::Value condition;
  KnownValues &known;
  std::optional<onnx::ExtentValues> before;
};

/// Infers onnx.If and onnx.Loop: regions first, then what their results have in common. Gives the
/// operation, null when a branch has taken the place of an If.
llvm::FailureOr<mlir::Operation *> inferControlFlow(mlir::Operation *op, ShapeInference &inference);

/// Behind the last run: has loops check that what they stack has the extents that it has.
void checkStacks(mlir::func::FuncOp function);

/// Types the results of an If by what its branches, which are inferred, yield. A symbol that it
/// defines already stands for the same two extents again.
llvm::LogicalResult mergeBranches(onnx::IfOp op, ShapeInference &inference);

} // namespace cameo

#endif // CAMEO_SHAPE_SHAPEINFERENCE_H
