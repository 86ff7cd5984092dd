// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user asserts of a model's values (--assert, --value): facts of the algebra where the
// values are defined, and checks there. An assertion of inputs' dims alone is a fact before the
// first operator; the run holds the inputs against it.

#ifndef CAMEO_SHAPE_ASSERTIONS_H
#define CAMEO_SHAPE_ASSERTIONS_H

#include "Dialect/Core/IR/ExtentRelation.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

class ShapeInference;

class Assertions {
public:
  /// With a device, what only that counts is not checked by the host.
  Assertions(mlir::func::FuncOp function, bool hasDevice);

  /// Reads what the flags say; a name that the model does not have is the user's error.
  llvm::LogicalResult add(llvm::ArrayRef<std::string> relations,
                          llvm::ArrayRef<std::string> values);
  /// States what is said of the dims of inputs, whose types change where one dim is others.
  llvm::LogicalResult stateDims(core::ExtentFacts &facts);

  /// Before a walk: whatever an earlier one reached is gone.
  void restart();
  /// At the start of a walk: what no table of inputs can say of their dims is checked.
  llvm::LogicalResult checkDims(ShapeInference &stage);
  /// When `value` is typed: its elements as far as they are said, with a check behind it. Before
  /// elements that are not known get symbols.
  llvm::LogicalResult stateElements(mlir::Value value, ShapeInference &stage);
  /// After that: what is said of extents and of elements that are known.
  llvm::LogicalResult stateRelations(mlir::Value value, ShapeInference &stage);
  void forget(mlir::Value value);

  /// The range that an element of `value` is said to be in.
  core::ExtentRange getRange(mlir::Value value, int64_t element,
                             const core::ExtentFacts &facts) const;
  /// The most that the only element of `value` is said to be; null where nothing is.
  core::ExtentAttr getMost(mlir::Value value) const;

  /// Writes down at the function what became of each, for reports: its text, and a few words.
  void record() const;
  static llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>>
  getRecords(mlir::Operation *function);

private:
  /// The ways in which an assertion is met, the weakest last.
  enum class Outcome { Follows, Inputs, Expected, Checked, NotReached, NotChecked };

  struct Assertion {
    std::string text;
    llvm::SmallVector<core::ExtentRelation, 1> relations;
    /// The number of elements of the whole value, where that is asserted.
    std::optional<int64_t> count;
    bool isOfDims = false;
    Outcome outcome = Outcome::NotReached;
    std::string why;
  };
  /// The least and the most of each element of a value.
  struct Limits {
    llvm::SmallVector<mlir::Attribute> least, most;
  };
  /// The one element that a relation says something of, of which nothing else is known.
  struct Subject {
    mlir::Value value;
    int64_t element;
    core::ExtentAttr least, most;
  };
  /// A relation between extents that are known.
  struct Known {
    core::ExtentAttr left, least, most;
  };

  llvm::LogicalResult addRelation(llvm::StringRef text);
  llvm::LogicalResult addAssignment(llvm::StringRef text);
  llvm::LogicalResult checkNames(llvm::StringRef flag, Assertion &assertion);
  llvm::LogicalResult refuseName(llvm::StringRef flag, llvm::StringRef text, llvm::StringRef name);
  llvm::LogicalResult checkCount(Assertion &assertion, mlir::Value value, ShapeInference &stage);

  /// An extent of an input, where the reference is one or a dim's name; null otherwise.
  core::ExtentAttr getDim(const core::ExtentReference &reference) const;
  /// Whether all that a relation names can be seen where `value` is.
  bool isReached(const core::ExtentRelation &relation, mlir::Value value) const;
  /// The extent that a reference stands for: unknown for an element that is not known; fails,
  /// having said so, where there is no such extent or element.
  llvm::FailureOr<core::ExtentAttr> resolve(const Assertion &assertion,
                                            const core::ExtentReference &reference,
                                            ShapeInference &stage) const;
  llvm::FailureOr<std::optional<Known>> substitute(const Assertion &assertion,
                                                   const core::ExtentRelation &relation,
                                                   ShapeInference &stage) const;
  llvm::FailureOr<std::optional<Subject>> findSubject(const Assertion &assertion,
                                                      const core::ExtentRelation &relation,
                                                      ShapeInference &stage) const;
  llvm::LogicalResult take(Assertion &assertion, const Subject &subject, mlir::Value value,
                           Limits &said, ShapeInference &stage);
  llvm::LogicalResult hold(Assertion &assertion, const Known &relation, mlir::Value value,
                           ShapeInference &stage);
  /// Takes a likely value of `extent`: `tell` gets the symbol that it is made of, and its value.
  llvm::LogicalResult expect(Assertion &assertion, core::ExtentAttr extent,
                             const core::ExtentFacts &facts,
                             llvm::function_ref<void(llvm::StringRef, int64_t)> tell);
  void check(const Assertion &assertion, const Known &relation, mlir::OpBuilder &builder) const;
  void conclude(Assertion &assertion, Outcome outcome, llvm::StringRef why = "");
  llvm::LogicalResult contradict(const Assertion &assertion, mlir::Operation *op,
                                 const Known &relation, const core::ExtentFacts &facts) const;
  mlir::Location getLocation(const Assertion &assertion) const;

  mutable mlir::func::FuncOp function;
  bool hasDevice;
  /// The dims of the model's inputs by name, of which some may be others by now.
  llvm::SetVector<llvm::StringRef> dims;
  std::vector<Assertion> assertions;
  /// The names that assertions have for values.
  llvm::StringSet<> named;
  /// By name, the value that the walk has typed last.
  llvm::StringMap<mlir::Value> reached;
  llvm::DenseMap<mlir::Value, Limits> limits;
  /// The relations that were taken for the value that is being looked at.
  llvm::DenseSet<const core::ExtentRelation *> taken;
};

} // namespace cameo

#endif // CAMEO_SHAPE_ASSERTIONS_H
