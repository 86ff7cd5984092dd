// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words in which a rewrite builds operators: each types its results by its own inferExtents, so
// that shapes stay inferred. The operators that are built stand for one, whose node their locations
// name. An operator that does not infer is an error of the pass: a rewrite goes on with types of
// the same ranks, and what it has built is thrown away.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_ONNXBUILDER_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_ONNXBUILDER_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <functional>

namespace cameo {

class OnnxBuilder {
public:
  using Value = mlir::Value;

  /// Builds in front of `root`. `merged` are further operators that the result will stand for.
  OnnxBuilder(mlir::PatternRewriter &rewriter, mlir::Operation *root,
              llvm::ArrayRef<mlir::Operation *> merged = {});

  /// An operator; `arguments` are its operands and attributes as its own builder takes them.
  template <class Op, class... Arguments> Op create(Arguments &&...arguments) {
    llvm::SmallVector<mlir::Type> types(Op::getResultVariables().size(), rewriter.getNoneType());
    auto op = Op::create(rewriter, location, mlir::TypeRange(types),
                         std::forward<Arguments>(arguments)...);
    infer(op);
    return op;
  }
  /// Its first result.
  template <class Op, class... Arguments> Value make(Arguments &&...arguments) {
    return create<Op>(std::forward<Arguments>(arguments)...)->getResult(0);
  }

  /// The operator as it is, on other operands; its results keep their types.
  mlir::Operation *clone(mlir::Operation *op, mlir::ValueRange operands);
  /// The same on operands of other extents: its results follow from these.
  mlir::Operation *rebuild(mlir::Operation *op, mlir::ValueRange operands);

  Value add(Value a, Value b) { return make<onnx::AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<onnx::SubOp>(a, b); }
  Value mul(Value a, Value b) { return make<onnx::MulOp>(a, b); }
  Value div(Value a, Value b) { return make<onnx::DivOp>(a, b); }
  Value sqrt(Value x) { return make<onnx::SqrtOp>(x); }
  Value equal(Value a, Value b) { return make<onnx::EqualOp>(a, b); }
  Value where(Value condition, Value a, Value b) { return make<onnx::WhereOp>(condition, a, b); }
  Value cast(Value x, mlir::Type element, bool saturates = true);
  Value reshape(Value x, llvm::ArrayRef<core::ExtentAttr> extents);
  Value transpose(Value x, llvm::ArrayRef<int64_t> permutation);
  /// The elements from `start` to in front of `end` along one axis.
  Value slice(Value x, int64_t axis, core::ExtentAttr start, core::ExtentAttr end);
  /// The elements along one axis, from the last to the first.
  Value reverse(Value x, int64_t axis);
  /// A reduction over constant axes that keeps them; none means all.
  template <class Op> Value reduce(Value x, llvm::ArrayRef<int64_t> axes, bool keepsAxes = true) {
    return make<Op>(x, axes.empty() ? Value() : integers(axes), keepsAxes ? 1 : 0, 0);
  }

  /// A Loop of at most `most` iterations over values that keep their types; gives the last ones.
  /// `build` makes the next ones, behind the condition to go on.
  llvm::SmallVector<Value>
  loop(int64_t most, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<Value>(mlir::ValueRange)> build);

  /// A number as a tensor of rank 0.
  Value constant(mlir::Type element, double value);
  Value constant(core::SymTensorType type, mlir::ElementsAttr value);
  /// A constant of rank 1.
  Value integers(llvm::ArrayRef<int64_t> values);
  /// A constant of f32 with these extents; without any of rank 1.
  Value floats(llvm::ArrayRef<float> values, llvm::ArrayRef<int64_t> shape = {});
  /// Extents as the integers that they are; one as a tensor of rank 0.
  Value extents(llvm::ArrayRef<core::ExtentAttr> values);
  Value number(core::ExtentAttr value);
  core::ExtentAttr extent(int64_t value) const;
  /// 0, 1, ... below `count`, along `axis` of a tensor of rank `rank`.
  Value countAlong(core::ExtentAttr count, size_t rank, size_t axis);
  /// For each element the value beside it in a table, `otherwise` where the table does not have it:
  /// as LabelEncoder has it where that is null.
  Value lookUp(Value x, mlir::ElementsAttr keys, mlir::ElementsAttr values,
               mlir::ElementsAttr otherwise = {});
  mlir::Type getInteger() { return rewriter.getI64Type(); }

  /// The run checks that these are equal: the root requires it, and no operator built here does.
  void requireEqual(core::ExtentAttr got, core::ExtentAttr need, llvm::StringRef what);

  /// Replaces the results of the root. The value that was built last for each takes its name and
  /// type.
  void replaceRoot(mlir::ValueRange values);

private:
  void infer(mlir::Operation *op);
  /// Types the results of an operator whose operands do not fit each other.
  void recover(onnx::OnnxOp op);

  mlir::Location getResultLocation(unsigned result);

  mlir::PatternRewriter &rewriter;
  mlir::Operation *root;
  llvm::SmallVector<mlir::Location> merged;
  mlir::Location location;
  core::ExtentFacts facts;
  llvm::SmallPtrSet<mlir::Operation *, 8> built;
  /// Whether an operator did not infer. That is told, and nothing that follows from it is.
  bool hasFailed = false;
};

/// An operator in terms of others: `build` gives a value per result, or none when it cannot, before
/// it builds anything.
template <class Op> struct Decomposition : mlir::OpRewritePattern<Op> {
  using Build = std::function<llvm::SmallVector<mlir::Value>(OnnxBuilder &, Op)>;

  Decomposition(mlir::MLIRContext *context, Build build)
      : mlir::OpRewritePattern<Op>(context), build(std::move(build)) {}

  llvm::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    OnnxBuilder builder(rewriter, op);
    llvm::SmallVector<mlir::Value> results = build(builder, op);
    if (results.empty())
      return llvm::failure();
    builder.replaceRoot(results);
    return llvm::success();
  }

private:
  Build build;
};

/// Applies patterns that build operators to a fixpoint; fails where one of them did not infer.
llvm::LogicalResult applyRewrites(mlir::Operation *root,
                                  const mlir::FrozenRewritePatternSet &patterns,
                                  const mlir::GreedyRewriteConfig &config);

/// One location that names the nodes of all; where that are very many, not of all.
mlir::Location fuseNodes(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Location> locations);

/// The extents of a tensor whose rank is known; nullopt for others.
std::optional<llvm::ArrayRef<core::ExtentAttr>> getExtents(mlir::Value value);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_ONNXBUILDER_H
