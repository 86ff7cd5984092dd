// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of kernel templates: a class per template, whose methods are its record's template
// arguments, members, operands and functors, in any order.
//
//   SoftmaxCall(lower).log(true).rows(rows).load(x, index).store(result, index).build();
//
// Ranks of indices and types of the values that stores get follow from the record.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_TEMPLATECALLS_H
#define CAMEO_CONVERSION_ONNXTOPROG_TEMPLATECALLS_H

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Rows.h"
#include "Dialect/Prog/IR/KernelTemplates.h"

namespace cameo {

/// The base of the templates' builders.
class CallBuilder {
public:
  /// The op; its results are the template's outputs, then those of its stores.
  prog::CallOp build();

protected:
  CallBuilder(Lowering &lower, llvm::StringRef callee);

  void setArgument(unsigned number, llvm::StringRef word,
                   llvm::ArrayRef<std::string> arguments = {});
  void setInt(llvm::StringRef name, int64_t value);
  void setInt(llvm::StringRef name, core::ExtentAttr value);
  void setInt(llvm::StringRef name, llvm::ArrayRef<core::ExtentAttr> values);
  void setInt(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  void setFlag(llvm::StringRef name, bool value);
  void setReal(llvm::StringRef name, double value);
  void setReals(llvm::StringRef name, mlir::ValueRange values);
  void setKeyword(llvm::StringRef name, llvm::StringRef value);
  void setGroup(llvm::StringRef name, const Rows &rows);
  void setGroup(llvm::StringRef name, llvm::ArrayRef<onnx::WindowAxis> window);
  void setGroup(llvm::StringRef name, llvm::ArrayRef<core::ExtentAttr> extents);
  /// A dense tensor passed as a pointer, or a host scalar; null passes a null pointer.
  void setInput(unsigned number, mlir::Value value) { inputs[number] = value; }
  void setOutput(unsigned number, core::SymTensorType type) { outputs[number] = {type, {}}; }
  /// A result that is `dest` after the call.
  void setInPlace(unsigned number, mlir::Value dest);
  /// `result` and `stored` are of stores.
  void setFunctor(unsigned number, llvm::ArrayRef<Read> reads, core::SymTensorType result,
                  const Index &stored, BodyFunction body);
  /// A load of the plain elements of a tensor.
  void setLoad(unsigned number, mlir::Value tensor, const Index &index);
  /// A store of the plain values, converted to the result's element type.
  void setStore(unsigned number, core::SymTensorType result, const Index &stored);

private:
  struct Output {
    core::SymTensorType type;
    /// The tensor to which the result is tied; null for a new one.
    mlir::Value dest;
  };
  struct Functor {
    llvm::SmallVector<Read> reads;
    core::SymTensorType result;
    Index stored;
    /// Null where the call does without.
    BodyFunction body;
  };

  void set(llvm::StringRef name, mlir::Attribute value);
  void addNulls(mlir::Type element);
  void buildFunctor(prog::CallOp call, unsigned number, core::Side side, int64_t target);

  Lowering &lower;
  const prog::KernelTemplate &kernel;
  llvm::SmallVector<mlir::Attribute> arguments;
  llvm::SmallVector<mlir::NamedAttribute> params;
  llvm::SmallVector<mlir::Value> inputs, scalars;
  llvm::SmallVector<mlir::Attribute> scalarNames;
  llvm::SmallVector<Output> outputs;
  llvm::SmallVector<Functor> functors;
};

#include "Conversion/OnnxToProg/TemplateCalls.h.inc"

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_TEMPLATECALLS_H
