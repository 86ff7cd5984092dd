// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words in which a family's lowering is written. A pattern makes a Lowering for its operator,
// says what iterates, what is read where and what is stored, and replaces the operator by the
// results.
//
//   Lowering lower(rewriter, op);
//   Value y = lower.kernel(extents, {{op.getX(), lower.dims(rank)}}, type, lower.dims(rank),
//                          [&](ScalarBuilder &b, ValueRange x) { return b.neg(x[0]); });
//
// Index expressions are affine in the iteration's dims and in extents; both are AffineExprs made by
// dim(), extent() and arithmetic. Reading a tensor of one element that is known (a constant, an
// extent, a host scalar) costs no memory: kernels get the scalar.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_LOWERING_H
#define CAMEO_CONVERSION_ONNXTOPROG_LOWERING_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>
#include <memory>

namespace cameo {

using Index = llvm::SmallVector<mlir::AffineExpr, 6>;

/// A tensor, and where it is read.
struct Read {
  mlir::Value tensor;
  Index index;
};

using prog::getAccumulatorType;

/// Builds the scalars of a body from the values that it is given.
using BodyBuilder =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(prog::ScalarBuilder &, mlir::ValueRange)>;

/// The same, kept until a call is built.
using BodyFunction =
    std::function<llvm::SmallVector<mlir::Value>(prog::ScalarBuilder &, mlir::ValueRange)>;

class Lowering {
public:
  Lowering(mlir::PatternRewriter &rewriter, mlir::Operation *op);

  /// The elements of an integer operand, which the Shape stage has made extents; nullopt otherwise.
  std::optional<onnx::ExtentValues> values(mlir::Value value) const;
  /// For helpers of operators that are shared with extent inference; it sets nothing.
  onnx::ExtentInference &inference() { return *infer; }

  mlir::PatternRewriter &getRewriter() { return rewriter; }
  mlir::Location getLoc() { return op->getLoc(); }
  const core::ExtentFacts &getFacts() const { return facts; }

  //===--- Index expressions ---===//

  mlir::AffineExpr dim(unsigned number) const;
  /// Dims `first` to `first + count - 1`.
  Index dims(unsigned count, unsigned first = 0) const;
  /// An extent within an index expression.
  mlir::AffineExpr extent(core::ExtentAttr extent);
  mlir::AffineExpr constant(int64_t value) const;
  /// Where an operand of extents `from` is read for the element `dims(to.size())` of a tensor of
  /// extents `to` that it broadcasts to; adds a check for pairs that are not known to fit, and for
  /// axes that `to` does not have, which are 1.
  Index broadcast(llvm::ArrayRef<core::ExtentAttr> from, llvm::ArrayRef<core::ExtentAttr> to);

  //===--- Ops ---===//

  /// A loop nest over `extents` with one new tensor as result.
  mlir::Value kernel(llvm::ArrayRef<core::ExtentAttr> extents, llvm::ArrayRef<Read> reads,
                     core::SymTensorType result, const Index &stored, BodyBuilder body);
  /// As kernel(), writing part of `dest`; the result is `dest` afterwards.
  mlir::Value kernelInto(mlir::Value dest, llvm::ArrayRef<core::ExtentAttr> extents,
                         llvm::ArrayRef<Read> reads, const Index &stored, BodyBuilder body);
  /// The elements of `source` at `index` of each point of `result`.
  mlir::Value copy(mlir::Value source, const Index &index, core::SymTensorType result);
  mlir::Value empty(core::SymTensorType type);
  mlir::Value null(mlir::Type elementType);
  /// The same elements under other extents, in the same order.
  mlir::Value view(mlir::Value source, core::SymTensorType type);
  mlir::Value view(mlir::Value source, core::SymTensorType type, core::ExtentAttr offset);

  /// Ends the run unless `got relation expected` (see prog.check) can be shown or holds.
  void check(llvm::StringRef relation, core::ExtentAttr got, core::ExtentAttr expected,
             llvm::StringRef code, llvm::StringRef message);
  /// Ends the run unless `value` is shown to be, or is, another number than 0.
  void checkNonzero(core::ExtentAttr value, llvm::StringRef message);
  /// Where the device has the extents: a kernel raises INVALID_ARGUMENT unless each of `got` is
  /// what is expected, and the run goes on, so what is behind it is to be in bounds all the same.
  void expectEqual(llvm::ArrayRef<core::ExtentAttr> got, llvm::ArrayRef<core::ExtentAttr> expected);
  /// A functor that gives the extent of its position.
  static BodyFunction chooseExtent(llvm::ArrayRef<core::ExtentAttr> extents);
  /// Ends the run unless each of `axes` is another one.
  void checkAxes(const onnx::AxisList &axes);
  /// `extent`, or where it is long a symbol of its value: a sum of offsets that grows with every
  /// operand is not said anew for each.
  core::ExtentAttr named(llvm::StringRef hint, core::ExtentAttr extent);
  /// `extent`, which is in [0, bound] and on the device, as a symbol of its value.
  core::ExtentAttr bounded(llvm::StringRef hint, core::ExtentAttr extent, core::ExtentAttr bound);
  /// Defines an extent that inference left to the operator, by a host scalar or the only element of
  /// a tensor; a float is truncated. A value that is no extent, or beyond the symbol's bound, ends
  /// the run with `code`. On the device it stays there, as 0 or the bound where it is neither, if
  /// there is one.
  void bindCount(core::ExtentAttr symbol, mlir::Value count,
                 llvm::StringRef code = "invalid_argument");
  /// The same by a tensor of one integer, in which a kernel has left a number that is no more than
  /// the symbol's bound, for which memory is there. A constant extent needs no definition.
  void bindCounted(core::ExtentAttr symbol, mlir::Value count);
  /// Whether the operator counts it itself, and not an earlier one.
  bool isOwnCount(core::ExtentAttr extent) const;
  /// The only element of an integer tensor, which is to be in [begin, end), by symbols: elsewhere
  /// the run ends with OUT_OF_RANGE. On the device it stays there.
  core::ExtentAttr bindPosition(llvm::StringRef hint, mlir::Value tensor, int64_t begin,
                                int64_t end);
  /// Defines symbols by the elements of an integer tensor on the device, as prog.bind_elements
  /// says.
  void bindElements(mlir::ArrayAttr symbols, mlir::Value tensor);

  //===--- Host scalars ---===//

  /// Element `number` (row-major) of a tensor that the host can read; null when it cannot.
  mlir::Value scalar(mlir::Value tensor, int64_t number);
  /// A host tensor of these scalars.
  mlir::Value fromScalars(mlir::ValueRange scalars, core::SymTensorType type);
  /// `tensor` as memory on `side`: extents and single elements are stored by a kernel that has them
  /// as arguments, other host tensors uploaded.
  mlir::Value onSide(mlir::Value tensor, core::Side side);

private:
  friend class CallBuilder;
  /// The symbol that an extent is, with what is known of it and the bound that inference gave it.
  core::SymbolAttr symbolOf(core::ExtentAttr extent) const;
  void bindHostCount(core::SymbolAttr symbol, mlir::Value count, llvm::StringRef code);
  core::ExtentAttr define(llvm::StringRef hint, core::ExtentAttr extent, core::ExtentRange values,
                          core::ExtentAttr bound);
  mlir::Value fetchElement(mlir::Value tensor);

  /// Reads of a body, split into what is an operand and what is built inside.
  struct Body {
    llvm::SmallVector<mlir::Value> operands;
    llvm::SmallVector<mlir::AffineMap> maps;
    /// For each read the operand's number, or -1 for a scalar made inside by `inside`.
    llvm::SmallVector<int> numbers;
  };
  Body splitReads(llvm::ArrayRef<Read> reads, unsigned rank, core::Side side);
  /// Fills a functor's region: `leading` types first, then the operands of `body`.
  void fillBody(mlir::Region &region, llvm::ArrayRef<mlir::Type> leading,
                llvm::ArrayRef<Read> reads, const Body &body, BodyBuilder build);
  /// The scalar of a one-element tensor that needs no operand: a constant or an extent; else null.
  mlir::Value buildInside(prog::ScalarBuilder &b, mlir::Value tensor);
  bool isInside(mlir::Value tensor);
  mlir::AffineMap map(unsigned rank, const Index &index);
  mlir::Value buildKernel(mlir::Value dest, llvm::ArrayRef<core::ExtentAttr> extents,
                          llvm::ArrayRef<Read> reads, core::SymTensorType result,
                          const Index &stored, BodyBuilder build);

  mlir::PatternRewriter &rewriter;
  mlir::Operation *op;
  core::ExtentFacts facts;
  std::unique_ptr<onnx::ExtentInference> infer;
  llvm::SmallVector<mlir::Attribute> symbols;
};

/// The tensor type of a value.
core::SymTensorType tensorOf(mlir::Value value);
/// The C++ spelling of an ONNX element type, as templates name it: `float`, `half`, `int64_t`.
std::string spellType(mlir::Type type);

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_LOWERING_H
