// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Support/NodeLocation.h"
#include "Support/Unsupported.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

/// `location` with the names of no results but `outputs`.
static Location renameOutputs(Location location, ArrayRef<StringRef> outputs) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  if (nodes.empty())
    return location;
  return makeNodeLocation(location.getContext(), nodes.front().opType, nodes.front().name, outputs);
}

Location cameo::fuseNodes(MLIRContext *context, ArrayRef<Location> locations) {
  // A chain that is merged step by step would name all before it at every step.
  constexpr size_t kMaxNodes = 64;
  SmallVector<Location> kept;
  size_t count = 0;
  for (Location location : locations) {
    auto fused = dyn_cast<FusedLoc>(location);
    count += fused ? fused.getLocations().size() : 1;
    if (count <= kMaxNodes)
      kept.push_back(location);
  }
  return FusedLoc::get(kept, {}, context);
}

OnnxBuilder::OnnxBuilder(PatternRewriter &rewriter, Operation *root, ArrayRef<Operation *> others)
    : rewriter(rewriter), root(root), location(root->getLoc()), facts(getSymbolFacts(root)) {
  rewriter.setInsertionPoint(root);
  for (Operation *other : others)
    merged.push_back(other->getLoc());
  SmallVector<Location> all{renameOutputs(root->getLoc(), {})};
  llvm::append_range(all, merged);
  location = fuseNodes(rewriter.getContext(), all);
}

void OnnxBuilder::infer(Operation *op) {
  built.insert(op);
  auto inferred = llvm::cast<OnnxOp>(op);
  if (hasFailed)
    return recover(inferred);
  LocalInference inference(op, facts);
  std::string problem;
  {
    ScopedDiagnosticHandler reader(
        rewriter.getContext(), [&](mlir::Diagnostic &diagnostic) { problem = diagnostic.str(); });
    if (succeeded(inferred.inferExtents(inference)))
      return;
  }
  hasFailed = true;
  // The constraints of the root should have said so, about its own operands.
  emitUnsupported(root) << "has operands that do not fit each other, which is not supported: "
                        << problem;
  recover(inferred);
}

void OnnxBuilder::recover(OnnxOp op) {
  ScopedDiagnosticHandler silent(rewriter.getContext(), [](mlir::Diagnostic &) {});
  // The same on operands of which no more than their ranks is known: nothing else is at fault then.
  IRMapping ranked;
  SmallVector<Operation *> made;
  Type first = root->getResult(0).getType();
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<SymTensorType>(operand.getType());
    if (!type || ranked.contains(operand))
      continue;
    if (made.empty())
      first = type;
    if (type.hasRank())
      type = type.withExtents(
          SmallVector<ExtentAttr>(type.getRank(), ExtentAttr::unknown(rewriter.getContext())));
    made.push_back(UnrealizedConversionCastOp::create(rewriter, location, type, ValueRange()));
    ranked.map(operand, made.back()->getResult(0));
  }
  made.push_back(rewriter.clone(*op, ranked));
  LocalInference inference(made.back(), facts);
  bool isTyped = succeeded(llvm::cast<OnnxOp>(made.back()).inferExtents(inference));
  for (auto [result, typed] : llvm::zip_equal(op->getResults(), made.back()->getResults()))
    result.setType(isTyped ? typed.getType() : first);
  for (Operation *each : llvm::reverse(made))
    rewriter.eraseOp(each);
}

Operation *OnnxBuilder::clone(Operation *op, ValueRange operands) {
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *copy = rewriter.clone(*op, mapping);
  copy->setLoc(location);
  built.insert(copy);
  return copy;
}

Operation *OnnxBuilder::rebuild(Operation *op, ValueRange operands) {
  Operation *copy = clone(op, operands);
  for (Value result : copy->getResults())
    result.setType(rewriter.getNoneType());
  infer(copy);
  return copy;
}

Value OnnxBuilder::cast(Value x, Type element, bool saturates) {
  if (elementTypeOf(x) == element)
    return x;
  return make<CastOp>(x, "up", saturates, getElementInfo(element)->number);
}

Value OnnxBuilder::reshape(Value x, ArrayRef<ExtentAttr> to) {
  if (getExtents(x) == to)
    return x;
  // A 0 is an extent of 0 here, never one to copy.
  Value reshaped = make<ReshapeOp>(x, extents(to), 1);
  reshaped.setType(llvm::cast<SymTensorType>(x.getType()).withExtents(to));
  return reshaped;
}

Value OnnxBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  return make<TransposeOp>(x, rewriter.getDenseI64ArrayAttr(permutation));
}

Value OnnxBuilder::slice(Value x, int64_t axis, ExtentAttr start, ExtentAttr end) {
  return make<SliceOp>(x, extents(start), extents(end), integers(axis), Value());
}

Value OnnxBuilder::reverse(Value x, int64_t axis) {
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  return make<SliceOp>(x, integers(-1), integers(-kAll), integers(axis), integers(-1));
}

SmallVector<Value> OnnxBuilder::loop(int64_t most, ValueRange carried,
                                     llvm::function_ref<SmallVector<Value>(ValueRange)> build) {
  Type counter = rewriter.getI64Type(), flag = rewriter.getI1Type();
  auto op = LoopOp::create(rewriter, location, TypeRange(carried),
                           constant(counter, static_cast<double>(most)), Value(), carried,
                           SymbolAttr(), ExtentAttr(), SymbolAttr(), ArrayAttr(), ArrayAttr());
  {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = rewriter.createBlock(&op.getBody());
    for (Type type : {counter, flag})
      body->addArgument(SymTensorType::get({}, type), location);
    for (Value value : carried)
      body->addArgument(value.getType(), location);
    YieldOp::create(rewriter, location, build(body->getArguments().drop_front(2)));
  }
  infer(op);
  return op->getResults();
}

Value OnnxBuilder::constant(Type element, double value) {
  TypedAttr number = isa<FloatType>(element)
                         ? TypedAttr(rewriter.getFloatAttr(element, value))
                         : rewriter.getIntegerAttr(element, static_cast<int64_t>(value));
  auto attr = DenseElementsAttr::get(RankedTensorType::get({}, element), number);
  return ConstantOp::create(rewriter, location, SymTensorType::get({}, element), attr);
}

Value OnnxBuilder::constant(SymTensorType type, ElementsAttr value) {
  return ConstantOp::create(rewriter, location, type, value);
}

Value OnnxBuilder::integers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, rewriter.getI64Type());
  return ConstantOp::create(
      rewriter, location,
      SymTensorType::get({extent(static_cast<int64_t>(values.size()))}, rewriter.getI64Type()),
      DenseElementsAttr::get(type, values));
}

Value OnnxBuilder::floats(ArrayRef<float> values, ArrayRef<int64_t> shape) {
  auto count = static_cast<int64_t>(values.size());
  SmallVector<ExtentAttr> extents;
  for (int64_t dim : shape.empty() ? ArrayRef(count) : shape)
    extents.push_back(extent(dim));
  ConstantWriter writer(SymTensorType::get(extents, rewriter.getF32Type()));
  assert(writer.getNumElements() == count && "a value for each element");
  if (count != 0)
    std::memcpy(writer.getElement(0), values.data(), values.size() * sizeof(float));
  return constant(SymTensorType::get(extents, rewriter.getF32Type()), writer.finish("floats"));
}

Value OnnxBuilder::extents(ArrayRef<ExtentAttr> values) {
  SmallVector<Attribute> attributes(values.begin(), values.end());
  auto type =
      SymTensorType::get({extent(static_cast<int64_t>(values.size()))}, rewriter.getI64Type());
  return prog::FromExtentsOp::create(rewriter, location, type, rewriter.getArrayAttr(attributes));
}

Value OnnxBuilder::number(ExtentAttr value) {
  auto type = SymTensorType::get({}, rewriter.getI64Type());
  return prog::FromExtentsOp::create(rewriter, location, type, rewriter.getArrayAttr(value));
}

ExtentAttr OnnxBuilder::extent(int64_t value) const {
  return ExtentAttr::constant(root->getContext(), value);
}

Value OnnxBuilder::countAlong(ExtentAttr count, size_t rank, size_t axis) {
  SmallVector<ExtentAttr> extents(rank, extent(1));
  extents[axis] = count;
  return reshape(make<RangeOp>(number(extent(0)), number(count), number(extent(1)), 1), extents);
}

Value OnnxBuilder::lookUp(Value x, ElementsAttr keys, ElementsAttr values, ElementsAttr otherwise) {
  DenseF32ArrayAttr noFloats;
  DenseI64ArrayAttr noIntegers;
  ArrayAttr noStrings;
  return make<LabelEncoderOp>(x, APFloat(-0.0f), -1, "_Unused", otherwise, noFloats, noIntegers,
                              noStrings, keys, noFloats, noIntegers, noStrings, values);
}

void OnnxBuilder::requireEqual(ExtentAttr got, ExtentAttr need, StringRef what) {
  if (!provablyEqual(got, need, facts))
    prog::CheckOp::create(rewriter, location, "eq", got, need, "invalid_argument",
                          ("does not fit in " + what).str());
}

Location OnnxBuilder::getResultLocation(unsigned result) {
  SmallVector<Location> all{renameOutputs(root->getLoc(), {getOutputName(root->getLoc(), result)})};
  llvm::append_range(all, merged);
  return fuseNodes(rewriter.getContext(), all);
}

void OnnxBuilder::replaceRoot(ValueRange values) {
  if (hasFailed) {
    // In the root's place is what no pattern looks into.
    rewriter.replaceOpWithNewOp<UnrealizedConversionCastOp>(root, root->getResultTypes(),
                                                            ValueRange());
    return;
  }
  for (auto [old, value] : llvm::zip_equal(root->getResults(), values)) {
    Operation *op = value.getDefiningOp();
    if (!built.contains(op))
      continue;
    // The same extents may be written in another way.
    rewriter.modifyOpInPlace(op, [&, &value = value, &old = old] {
      op->setLoc(getResultLocation(old.getResultNumber()));
      value.setType(old.getType());
    });
  }
  rewriter.replaceOp(root, values);
}

LogicalResult cameo::applyRewrites(Operation *root, const FrozenRewritePatternSet &patterns,
                                   const GreedyRewriteConfig &config) {
  bool hasError = false;
  ScopedDiagnosticHandler watch(root->getContext(), [&](mlir::Diagnostic &diagnostic) {
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // whoever waits for it has it
  });
  return failure(failed(applyPatternsGreedily(root, patterns, config)) || hasError);
}

std::optional<ArrayRef<ExtentAttr>> cameo::getExtents(Value value) {
  auto tensor = dyn_cast<SymTensorType>(value.getType());
  if (!tensor || !tensor.hasRank())
    return std::nullopt;
  return tensor.getExtents();
}
