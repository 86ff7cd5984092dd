// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's types, element types and tensors as types and attributes of MLIR. Dims of the main graph's
// inputs are symbols; what a model says of other values is checked against what follows from them.

#ifndef CAMEO_IMPORT_CONVERTTYPES_H
#define CAMEO_IMPORT_CONVERTTYPES_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "Import/TensorLoader.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"

namespace cameo::importer {

class TypeConverter {
public:
  TypeConverter(mlir::MLIRContext *context, Reporter &reporter)
      : context(context), reporter(reporter) {}

  /// Names the dims of `graph`'s inputs; before any is converted.
  void collectSymbols(const pb::GraphProto &graph);

  /// The type of an input of the main graph: a dim without a value is the symbol of its name, one
  /// without a name a symbol `<input>_<axis>`.
  llvm::FailureOr<mlir::Type> convertInput(const pb::ValueInfoProto &input, const Where &where);
  /// `type` with `rank` open dims, for an input that does not say its own.
  core::SymTensorType openDims(llvm::StringRef input, core::SymTensorType type, int64_t rank);
  /// The type that a model declares for a value: dims that no input has are unknown. Null when it
  /// declares none.
  llvm::FailureOr<mlir::Type> convertDeclared(const pb::TypeProto &type, const Where &where);
  /// A type as an attribute holds it.
  llvm::FailureOr<mlir::Type> convertAttribute(const pb::TypeProto &type, const Where &where) {
    return convert(type, where, nullptr);
  }

  /// A shape that contradicts the inferred one is refused, or only worth a warning.
  enum class OnShape { Refuse, Warn };
  /// `inferred`, more exact where it is unknown and `declared` is not. Fails where they contradict
  /// in more than shapes, and in those with OnShape::Refuse; else `inferred` it is.
  llvm::FailureOr<mlir::Type> merge(mlir::Type inferred, mlir::Type declared, OnShape onShape,
                                    const Where &where);

  /// `type` without its extents, where it is a tensor: only its rank. Null stays null.
  mlir::Type relax(mlir::Type type) const;
  /// The type of a constant.
  core::SymTensorType getType(mlir::ElementsAttr value) const;

  /// A tensor's elements as an attribute: small ones as such, large ones as a resource that owns
  /// `tensor`'s memory. Elements below a byte have one each, bools in a resource too.
  llvm::FailureOr<mlir::ElementsAttr> convertTensor(LoadedTensor tensor, const Where &where);

private:
  using ConvertDim =
      llvm::function_ref<core::ExtentAttr(const pb::TensorShapeProto::Dimension &, int)>;
  llvm::FailureOr<mlir::Type> convert(const pb::TypeProto &type, const Where &where,
                                      ConvertDim convertDim);
  core::ExtentAttr convertKnownDim(const pb::TensorShapeProto::Dimension &dim);
  core::ExtentAttr makeSymbol(llvm::StringRef input, int axis);

  mlir::MLIRContext *context;
  Reporter &reporter;
  llvm::StringSet<> symbols;
  uint64_t numResources = 0;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_CONVERTTYPES_H
