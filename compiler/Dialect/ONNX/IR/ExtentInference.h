// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operator's inferExtents reads and tells. The importer runs it to type every value as it
// is built; the Shape stage runs it again knowing more. Only the Shape stage knows values and may
// name new symbols; elsewhere an extent that cannot be said is unknown (`?`).

#ifndef CAMEO_DIALECT_ONNX_IR_EXTENTINFERENCE_H
#define CAMEO_DIALECT_ONNX_IR_EXTENTINFERENCE_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace cameo::onnx {

/// The elements of an integer (or bool) tensor in row-major order, as extents.
using ExtentValues = llvm::SmallVector<core::ExtentAttr, 8>;

/// Values of tensors with more elements are not tracked.
inline constexpr int64_t kMaxTrackedValues = 4096;

/// An integer tensor of constant extents whose elements are known.
struct KnownTensor {
  llvm::SmallVector<int64_t> shape;
  ExtentValues elements;

  /// The element at an index that is in bounds.
  core::ExtentAttr at(llvm::ArrayRef<int64_t> index) const;
};

/// A slice along one axis: elements first, first + step, ..., `count` of them.
struct AxisSlice {
  core::ExtentAttr first, count, step;
};

/// How many elements are added in front of each axis and behind it, or removed where negative.
struct AxisPads {
  llvm::SmallVector<core::ExtentAttr> begin, end;
};

class ExtentInference {
public:
  explicit ExtentInference(mlir::Operation *op) : op(op) {}
  virtual ~ExtentInference() = default;

  mlir::Operation *getOperation() const { return op; }
  mlir::MLIRContext *getContext() const { return op->getContext(); }

  //===--- Operands ---===//

  /// The type of an operand; null when it is not a tensor.
  core::SymTensorType type(mlir::Value value) const;
  mlir::Type elementType(unsigned operand) const;
  /// The extents of an operand; nullopt when its rank is unknown.
  std::optional<llvm::ArrayRef<core::ExtentAttr>> extents(mlir::Value value) const;
  /// The elements of an integer operand as far as they are known: nullopt when even their number is
  /// not, unknown extents for single elements that are not. A null value gives nullopt. In the
  /// Shape stage, the elements of an operand of class Host that are not otherwise known become
  /// symbols.
  virtual std::optional<ExtentValues> values(mlir::Value value) = 0;
  /// As values(), when every element is a constant.
  std::optional<llvm::SmallVector<int64_t>> constants(mlir::Value value);
  /// The only element of an operand, unknown when it is not known or not the only one.
  core::ExtentAttr scalar(mlir::Value value);
  /// Elements with their place in the tensor; nullopt when an extent is not a constant.
  std::optional<KnownTensor> known(mlir::Value value);
  /// The elements of a float or integer operand that is a constant of the model.
  std::optional<llvm::SmallVector<double>> floatConstants(mlir::Value value) const;

  //===--- Results ---===//

  void setResult(unsigned result, mlir::Type elementType, llvm::ArrayRef<core::ExtentAttr> extents);
  /// A result whose rank is not known.
  void setUnranked(unsigned result, mlir::Type elementType);
  /// A result of any type (sequences, optionals; a tensor as it stands).
  virtual void setType(unsigned result, mlir::Type type) = 0;
  /// The elements of an integer result. Ignored where values are not tracked.
  virtual void setValues(unsigned result, llvm::ArrayRef<core::ExtentAttr> values) = 0;
  /// Tells the elements of an integer result one by one, unless they are too many or an extent is
  /// not a constant. A null element gives up.
  void setElements(unsigned result, llvm::ArrayRef<core::ExtentAttr> extents,
                   llvm::function_ref<core::ExtentAttr(llvm::ArrayRef<int64_t>)> element);
  /// An extent that only the data decides, at least 0 and at most `bound`; if `counts` is given,
  /// how many of its first `bound` elements are not 0.
  virtual core::ExtentAttr counted(llvm::StringRef hint, core::ExtentAttr bound,
                                   mlir::Value counts = {}) = 0;

  /// `most`, or less where less is known of an operand's only element, although its value is not.
  virtual core::ExtentAttr bound(mlir::Value value, core::ExtentAttr most);

  /// Types result 0 as the broadcast of all operands.
  llvm::LogicalResult broadcast(mlir::Type elementType);

  /// The least type that holds values of both types: an extent they differ in is unknown, and so is
  /// the rank if that differs. Null when kind or element type differ.
  mlir::Type join(mlir::Type a, mlir::Type b) const;

  //===--- Values of the run ---===//

  /// `extent`, or where its normal form is long a symbol of its value, which the run computes once.
  /// For intermediate expressions: what an operator sets is named by the stage itself. Outside the
  /// Shape stage always `extent`.
  virtual core::ExtentAttr named(llvm::StringRef hint, core::ExtentAttr extent);
  /// Whether the host has a bound of `extent` only, since values on the device decide it. Outside
  /// the Shape stage never.
  virtual bool isOnDevice(core::ExtentAttr extent) const;
  /// `extent`, which is in [0, bound]; where it is on the device a symbol of its value, by whose
  /// bound the host makes memory for it.
  virtual core::ExtentAttr bounded(llvm::StringRef hint, core::ExtentAttr extent,
                                   core::ExtentAttr bound);
  /// The elements of an operand, as values(), of which each is in [begin, end). A constant that is
  /// not fails with a diagnostic; where a value of the run is not, the run ends with
  /// INVALID_ARGUMENT naming the node. Outside the Shape stage, which has seen to that, values().
  llvm::FailureOr<std::optional<ExtentValues>> valuesIn(mlir::Value value, int64_t begin,
                                                        int64_t end, llvm::StringRef name);

  //===--- Facts and helpers ---===//

  /// The facts about symbols; empty outside the Shape stage.
  virtual const core::ExtentFacts &facts() const = 0;
  core::ExtentAttr constant(int64_t value) const;
  core::ExtentAttr unknown() const;
  /// The extent of two broadcast axes; fails (with a diagnostic) when both are constants, differ,
  /// and neither is 1. Two extents that are not known to be equal or 1 give the larger, or 0.
  llvm::FailureOr<core::ExtentAttr> broadcastExtent(core::ExtentAttr a, core::ExtentAttr b);
  llvm::FailureOr<llvm::SmallVector<core::ExtentAttr>>
  broadcastExtents(llvm::ArrayRef<core::ExtentAttr> a, llvm::ArrayRef<core::ExtentAttr> b);
  /// `axis` counted from the front; fails with a diagnostic when it is outside [-rank, rank).
  llvm::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank, llvm::StringRef name = "axis");
  /// Normalizes each axis; fails with a diagnostic when one is out of range or comes twice.
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank, llvm::StringRef name = "axes");
  /// Fails with a diagnostic when the rank of `value` is known and not in [least, most].
  llvm::LogicalResult requireRank(mlir::Value value, llvm::StringRef name, int64_t least,
                                  int64_t most = INT64_MAX);
  /// Fails with a diagnostic when both extents are constants and differ. Extents that only the run
  /// knows are checked there: Structure puts a check in front of the operator.
  virtual llvm::LogicalResult requireEqual(core::ExtentAttr got, core::ExtentAttr need,
                                           llvm::StringRef what);
  /// The same for an extent that may also be 1, as one that is broadcast may; what the run decides
  /// is the lowering's, which has to know which it is.
  llvm::LogicalResult requireBroadcast(core::ExtentAttr got, core::ExtentAttr need,
                                       llvm::StringRef what);
  /// Fails with a diagnostic when `value`, unless it is null, cannot have the extents `need`.
  llvm::LogicalResult requireShape(mlir::Value value, llvm::ArrayRef<core::ExtentAttr> need,
                                   llvm::StringRef name);
  /// How many steps of any sign other than 0 there are before a distance is passed. The run is to
  /// refuse a step of 0.
  core::ExtentAttr countSteps(core::ExtentAttr distance, core::ExtentAttr step) const;
  mlir::Type boolType() const;
  mlir::Type int64Type() const;
  /// The element type with an ONNX TensorProto.DataType number; null when there is none.
  mlir::Type onnxType(int64_t number) const;
  /// Fails with a diagnostic when `value` cannot have exactly one element.
  llvm::LogicalResult requireOneElement(mlir::Value value, llvm::StringRef name);
  mlir::InFlightDiagnostic emitError() const { return op->emitOpError(); }

protected:
  /// `element`, known to be in [begin, end) or checked by the run.
  virtual core::ExtentAttr checkedIn(llvm::StringRef hint, core::ExtentAttr element, int64_t begin,
                                     int64_t end);

  mlir::Operation *op;
};

/// The element type of a tensor value.
mlir::Type elementTypeOf(mlir::Value value);
/// Whether both are tensors, or sequences of them, of the same element type.
bool haveSameElements(mlir::Type a, mlir::Type b);
/// Whether a value may be of one type here and of the other there: of the same elements, and
/// perhaps missing in one place only.
bool mayFlowTogether(mlir::Type a, mlir::Type b);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_EXTENTINFERENCE_H
