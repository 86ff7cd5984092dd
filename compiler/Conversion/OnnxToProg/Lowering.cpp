// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/Lowering.h"

#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/KnownValues.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/Prog/IR/ExtentKernel.h"
#include "Support/NodeLocation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

SymTensorType cameo::tensorOf(Value value) { return cast<SymTensorType>(value.getType()); }

std::string cameo::spellType(Type type) { return getElementInfo(type)->cppName.str(); }

Lowering::Lowering(PatternRewriter &rewriter, Operation *op)
    : rewriter(rewriter), op(op), facts(getSymbolFacts(op)),
      infer(std::make_unique<LocalInference>(op, facts)) {}

std::optional<ExtentValues> Lowering::values(Value value) const {
  return KnownValues().lookup(value);
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

AffineExpr Lowering::dim(unsigned number) const { return rewriter.getAffineDimExpr(number); }

Index Lowering::dims(unsigned count, unsigned first) const {
  Index index;
  for (unsigned number = 0; number < count; ++number)
    index.push_back(dim(first + number));
  return index;
}

AffineExpr Lowering::constant(int64_t value) const { return rewriter.getAffineConstantExpr(value); }

AffineExpr Lowering::extent(ExtentAttr extent) {
  if (std::optional<int64_t> value = extent.getConstant())
    return constant(*value);
  auto *found = llvm::find(symbols, Attribute(extent));
  unsigned number = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(extent);
  return rewriter.getAffineSymbolExpr(number);
}

Index Lowering::broadcast(ArrayRef<ExtentAttr> from, ArrayRef<ExtentAttr> to) {
  Index index;
  // An operand of one element may have more axes than the result.
  while (from.size() > to.size()) {
    check("eq", from.front(), infer->constant(1), "invalid_argument", "an operand is one element");
    index.push_back(constant(0));
    from = from.drop_front();
  }
  unsigned lead = to.size() - from.size();
  for (auto [axis, size] : llvm::enumerate(from)) {
    ExtentAttr target = to[lead + axis];
    if (size.isConstant(1) && !target.isConstant(1)) {
      index.push_back(constant(0));
    } else if (provablyEqual(size, target, facts)) {
      index.push_back(dim(lead + axis));
    } else {
      check("broadcast", size, target, "invalid_argument", "operands do not broadcast");
      // The stride is 0 when the extent is 1, which only the run knows.
      index.push_back(dim(lead + axis) * extent(simplify((size - 1).min(1), facts)));
    }
  }
  return index;
}

AffineMap Lowering::map(unsigned rank, const Index &index) {
  return AffineMap::get(rank, symbols.size(), index, rewriter.getContext());
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool Lowering::isInside(Value tensor) {
  auto type = dyn_cast<SymTensorType>(tensor.getType());
  if (!type || !type.getNumElements().isConstant(1))
    return false;
  if (auto constant = tensor.getDefiningOp<ConstantOp>())
    return isa<DenseElementsAttr>(constant.getValue()) && !isa<StringType>(type.getElementType());
  return tensor.getDefiningOp<FromExtentsOp>() != nullptr;
}

Value Lowering::buildInside(ScalarBuilder &b, Value tensor) {
  Type element = elementTypeOf(tensor);
  if (auto constant = tensor.getDefiningOp<ConstantOp>()) {
    Attribute value = *cast<DenseElementsAttr>(constant.getValue()).getValues<Attribute>().begin();
    return SConstantOp::create(rewriter, getLoc(), cast<TypedAttr>(value));
  }
  auto extents = tensor.getDefiningOp<FromExtentsOp>();
  return b.cast(b.extent(cast<ExtentAttr>(extents.getElements()[0])), element);
}

Lowering::Body Lowering::splitReads(ArrayRef<Read> reads, unsigned rank, Side side) {
  Body body;
  for (const Read &read : reads) {
    if (isInside(read.tensor)) {
      body.numbers.push_back(-1);
      continue;
    }
    Value operand = read.tensor;
    Index index = read.index;
    if (auto type = dyn_cast<SymTensorType>(operand.getType())) {
      Value single = type.getNumElements().isConstant(1) && type.isHost() && side == Side::Device
                         ? scalar(operand, 0)
                         : Value();
      operand = single ? single : onSide(operand, side);
      if (single)
        index.clear();
    }
    body.numbers.push_back(static_cast<int>(body.operands.size()));
    body.operands.push_back(operand);
    body.maps.push_back(AffineMap::get(rank, 0, index, rewriter.getContext()));
  }
  return body;
}

void Lowering::fillBody(Region &region, ArrayRef<Type> leading, ArrayRef<Read> reads,
                        const Body &body, BodyBuilder build) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = rewriter.createBlock(&region);
  SmallVector<Value> values;
  for (Type type : leading)
    values.push_back(block->addArgument(type, getLoc()));
  for (Value operand : body.operands) {
    auto tensor = dyn_cast<SymTensorType>(operand.getType());
    block->addArgument(tensor ? tensor.getElementType() : operand.getType(), getLoc());
  }
  ScalarBuilder scalars(rewriter, getLoc());
  for (auto [read, number] : llvm::zip_equal(reads, body.numbers))
    values.push_back(number < 0 ? buildInside(scalars, read.tensor)
                                : block->getArgument(leading.size() + number));
  SmallVector<Value> yielded = build(scalars, values);
  prog::YieldOp::create(rewriter, getLoc(), yielded);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Value Lowering::buildKernel(Value dest, ArrayRef<ExtentAttr> extents, ArrayRef<Read> reads,
                            SymTensorType result, const Index &stored, BodyBuilder build) {
  Body body = splitReads(reads, extents.size(), result.getSide());
  unsigned rank = extents.size();
  SmallVector<AffineMap> maps;
  for (AffineMap partial : body.maps)
    maps.push_back(map(rank, Index(partial.getResults())));
  SmallVector<Attribute> extentAttrs(extents.begin(), extents.end());
  auto kernel = KernelOp::create(
      rewriter, getLoc(), TypeRange{result}, body.operands, dest ? ValueRange{dest} : ValueRange{},
      rewriter.getArrayAttr(extentAttrs), rewriter.getAffineMapArrayAttr(maps),
      rewriter.getAffineMapArrayAttr({map(rank, stored)}), rewriter.getArrayAttr(symbols),
      rewriter.getDenseI64ArrayAttr({dest ? int64_t(0) : int64_t(-1)}));
  fillBody(kernel.getBody(), {}, reads, body, build);
  return kernel.getResult(0);
}

Value Lowering::kernel(ArrayRef<ExtentAttr> extents, ArrayRef<Read> reads, SymTensorType result,
                       const Index &stored, BodyBuilder body) {
  return buildKernel({}, extents, reads, result, stored, body);
}

Value Lowering::kernelInto(Value dest, ArrayRef<ExtentAttr> extents, ArrayRef<Read> reads,
                           const Index &stored, BodyBuilder body) {
  return buildKernel(dest, extents, reads, tensorOf(dest), stored, body);
}

Value Lowering::copy(Value source, const Index &index, SymTensorType result) {
  return kernel(result.getExtents(), {{source, index}}, result, dims(result.getRank()),
                [](ScalarBuilder &, ValueRange x) { return SmallVector<Value>{x[0]}; });
}

Value Lowering::empty(SymTensorType type) { return EmptyOp::create(rewriter, getLoc(), type); }

Value Lowering::null(Type elementType) {
  return NullOp::create(rewriter, getLoc(), SymTensorType::get({}, elementType, Side::Host));
}

Value Lowering::view(Value source, SymTensorType type) {
  return view(source, type, ExtentAttr::constant(rewriter.getContext(), 0));
}

Value Lowering::view(Value source, SymTensorType type, ExtentAttr offset) {
  return ViewOp::create(rewriter, getLoc(), type, onSide(source, type.getSide()), offset);
}

void Lowering::check(StringRef relation, ExtentAttr got, ExtentAttr expected, StringRef code,
                     StringRef message) {
  bool holds = relation == "eq"   ? provablyEqual(got, expected, facts)
               : relation == "le" ? provablyLessEqual(got, expected, facts)
                                  : false;
  if (!holds)
    CheckOp::create(rewriter, getLoc(), relation, got, expected, code, message);
}

void Lowering::checkNonzero(ExtentAttr value, StringRef message) {
  // By the sign, which has an opposite; the lowest number has none.
  ExtentAttr sign = simplify(value.max(-1).min(1), facts);
  check("le", infer->constant(1), sign.max(-sign), "invalid_argument", message);
}

BodyFunction Lowering::chooseExtent(ArrayRef<ExtentAttr> extents) {
  return [extents = llvm::to_vector(extents)](ScalarBuilder &b, ValueRange) {
    auto values = llvm::map_to_vector(extents, [&](ExtentAttr extent) { return b.extent(extent); });
    return SmallVector<Value>{b.choose(b.index(0), values)};
  };
}

void Lowering::expectEqual(ArrayRef<ExtentAttr> got, ArrayRef<ExtentAttr> expected) {
  SymTensorType one = SymTensorType::get({infer->constant(1)}, rewriter.getI64Type(), Side::Device);
  Value broken = ExpectCall(*this)
                     .code("CAMEO_INVALID_ARGUMENT")
                     .count(static_cast<int64_t>(got.size()))
                     .y(one)
                     .value({}, chooseExtent(got))
                     .least({}, chooseExtent(expected))
                     .most({}, chooseExtent(expected))
                     .build()
                     .getResult(0);
  KeepOp::create(rewriter, getLoc(), broken);
}

void Lowering::checkAxes(const AxisList &axes) {
  size_t count = axes.get().size();
  if (count > 1)
    check("eq", axes.count(), infer->constant(count), "invalid_argument", "an axis comes twice");
}

ExtentAttr Lowering::named(StringRef hint, ExtentAttr extent) {
  return extent.isLong() ? define(hint, extent, range(extent, facts), {}) : extent;
}

ExtentAttr Lowering::bounded(StringRef hint, ExtentAttr extent, ExtentAttr bound) {
  ExtentRange values(0, range(bound, facts).hi());
  return extent.isConstant() ? extent : define(hint, extent, values, bound);
}

ExtentAttr Lowering::define(StringRef hint, ExtentAttr extent, ExtentRange values,
                            ExtentAttr bound) {
  SymbolFact fact;
  fact.min = values.lo().value_or(fact.min);
  fact.max = values.hi().value_or(fact.max);
  std::string name = addSymbol(op, hint, fact).getName().str();
  auto symbol = SymbolAttr::get(rewriter.getContext(), name, fact, bound);
  facts.set(symbol);
  DefineOp::create(rewriter, getLoc(), symbol, extent, /*checked=*/false);
  return symbol.getExtent();
}

bool Lowering::isOwnCount(ExtentAttr extent) const {
  bool isOwn = false;
  visitCounts(op,
              [&](const SymbolDefinition &count) { isOwn |= count.symbol.getExtent() == extent; });
  return isOwn;
}

SymbolAttr Lowering::symbolOf(ExtentAttr extent) const {
  StringRef name = extent.getSymbolName();
  ExtentAttr bound;
  visitCounts(op, [&](const SymbolDefinition &count) {
    if (count.symbol.getName() == name)
      bound = count.bound;
  });
  return SymbolAttr::get(rewriter.getContext(), name, facts.lookup(name), bound);
}

void Lowering::bindCount(ExtentAttr extent, Value count, StringRef code) {
  SymbolAttr symbol = symbolOf(extent);
  auto tensor = dyn_cast<SymTensorType>(count.getType());
  if (!tensor)
    return bindHostCount(symbol, count, code);
  if (tensor.isHost() || !symbol.getBound())
    return bindHostCount(symbol, tensor.isHost() ? scalar(count, 0) : fetchElement(count), code);
  ExtentAttr one = ExtentAttr::constant(rewriter.getContext(), 1);
  auto call = CountCall(*this)
                  .most(symbol.getBound())
                  .y(SymTensorType::get({one}, rewriter.getI64Type(), Side::Device))
                  .load(view(count, tensor.withExtents({one})), dims(1))
                  .build();
  std::string name = (symbol.getName() + "_count").str();
  call->setLoc(fuseLocations(rewriter.getContext(), {getLoc()}, {name}));
  CountOp::create(rewriter, getLoc(), symbol, call.getResult(0));
}

void Lowering::bindHostCount(SymbolAttr symbol, Value count, StringRef code) {
  ScalarBuilder b(rewriter, getLoc());
  if (isa<FloatType>(count.getType()))
    count = b.select(b.isNan(count), b.constant(count, -1), count);
  Value integer = b.cast(count, rewriter.getI64Type());
  BindOp::create(rewriter, getLoc(), symbol, integer, /*checked=*/true, code);
  // Facts of the symbol hold behind this.
  if (symbol.getBound())
    CheckOp::create(rewriter, getLoc(), "le", symbol.getExtent(), symbol.getBound(), code,
                    "is more than there are");
}

/// The first element of a tensor on the device, on the host.
Value Lowering::fetchElement(Value tensor) {
  SymTensorType type = tensorOf(tensor);
  auto ticket =
      FetchOp::create(rewriter, getLoc(), TicketType::get(rewriter.getContext(), type), tensor);
  setCountReader(ticket, getLoc());
  return scalar(AwaitOp::create(rewriter, getLoc(), type.withSide(Side::Host), ticket), 0);
}

void Lowering::bindCounted(ExtentAttr extent, Value count) {
  if (extent.isConstant())
    return;
  // An earlier operator has told it; the kernel stores it all the same.
  if (!isOwnCount(extent)) {
    KeepOp::create(rewriter, getLoc(), count);
    return;
  }
  SymbolAttr symbol = symbolOf(extent);
  bool isOnDevice = tensorOf(count).isDevice();
  if (isOnDevice && symbol.getBound()) {
    CountOp::create(rewriter, getLoc(), symbol, count);
    return;
  }
  Value number = isOnDevice ? fetchElement(count) : scalar(count, 0);
  BindOp::create(rewriter, getLoc(), symbol, number, /*checked=*/false);
}

ExtentAttr Lowering::bindPosition(StringRef hint, Value tensor, int64_t begin, int64_t end) {
  SymbolFact fact;
  fact.min = 0;
  fact.max = end - begin - 1;
  std::string name = addSymbol(op, hint, fact).getName().str();
  ExtentAttr most = infer->constant(fact.max);
  auto symbol = SymbolAttr::get(rewriter.getContext(), name, fact, most);
  facts.set(symbol);
  auto shift = [&](ScalarBuilder &b, Value x) {
    return b.sub(b.cast(x, rewriter.getI64Type()), b.integer(begin));
  };
  if (Value element = scalar(tensor, 0)) {
    ScalarBuilder b(rewriter, getLoc());
    BindOp::create(rewriter, getLoc(), symbol, shift(b, element), /*checked=*/true, "out_of_range");
    return symbol.getExtent() + begin;
  }
  auto one = SymTensorType::get({infer->constant(1)}, rewriter.getI64Type(), Side::Device);
  Index index(tensorOf(tensor).getRank(), constant(0));
  Value count =
      CountCall(*this)
          .most(most)
          .y(one)
          .load({{tensor, index}},
                [&](ScalarBuilder &b, ValueRange x) { return SmallVector<Value>{shift(b, x[0])}; })
          .build()
          .getResult(0);
  CountOp::create(rewriter, getLoc(), symbol, count);
  return symbol.getExtent() + begin;
}

void Lowering::bindElements(ArrayAttr symbols, Value tensor) {
  Type i64 = rewriter.getI64Type();
  SymTensorType type = tensorOf(tensor);
  auto count = ExtentAttr::constant(rewriter.getContext(), symbols.size());
  auto list = SymTensorType::get({count}, i64, Side::Device);
  Value flat = view(tensor, type.withExtents({count}));
  Value elements =
      kernel({count}, {{flat, dims(1)}}, list, dims(1), [&](ScalarBuilder &b, ValueRange x) {
        SmallVector<Value> least, most;
        for (auto symbol : symbols.getAsRange<SymbolAttr>()) {
          least.push_back(b.integer(symbol.getMin()));
          most.push_back(b.integer(symbol.getMax()));
        }
        Value element = b.max(b.cast(x[0], i64), b.choose(b.index(0), least));
        return SmallVector<Value>{b.min(element, b.choose(b.index(0), most))};
      });
  auto one = ExtentAttr::constant(rewriter.getContext(), 1);
  for (auto [number, symbol] : llvm::enumerate(symbols.getAsRange<SymbolAttr>())) {
    auto offset = ExtentAttr::constant(rewriter.getContext(), static_cast<int64_t>(number));
    Value element =
        symbols.size() == 1 ? elements : view(elements, list.withExtents({one}), offset);
    CountOp::create(rewriter, getLoc(), symbol, element);
  }
}

//===----------------------------------------------------------------------===//
// Host scalars
//===----------------------------------------------------------------------===//

Value Lowering::scalar(Value tensor, int64_t number) {
  ScalarBuilder b(rewriter, getLoc());
  SymTensorType type = tensorOf(tensor);
  if (auto constant = tensor.getDefiningOp<ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return {};
    auto value = *std::next(elements.getValues<Attribute>().begin(), number);
    return SConstantOp::create(rewriter, getLoc(), cast<TypedAttr>(value));
  }
  if (!type.isHost())
    return {};
  if (auto extents = tensor.getDefiningOp<FromExtentsOp>())
    return b.cast(b.extent(cast<ExtentAttr>(extents.getElements()[number])), type.getElementType());
  // A view has the same elements in the same order.
  for (auto view = tensor.getDefiningOp<ViewOp>(); view && view.getOffset().getConstant();
       view = tensor.getDefiningOp<ViewOp>()) {
    number += *view.getOffset().getConstant();
    tensor = view.getSource();
  }
  if (auto elements = tensor.getDefiningOp<FromElementsOp>())
    return elements.getElements()[number];
  return ElementOp::create(rewriter, getLoc(), type.getElementType(), tensor,
                           ExtentAttr::constant(rewriter.getContext(), number));
}

Value Lowering::fromScalars(ValueRange scalars, SymTensorType type) {
  return FromElementsOp::create(rewriter, getLoc(), type.withSide(Side::Host), scalars);
}

Value Lowering::onSide(Value tensor, Side side) {
  SymTensorType type = tensorOf(tensor).withSide(side);
  if (auto constant = tensor.getDefiningOp<ConstantOp>()) {
    if (!isPackedElement(type.getElementType()))
      return WeightOp::create(rewriter, constant.getLoc(), type, constant.getValue());
    // Weights have several of such elements in a byte; most readers take them from there.
    SymTensorType packed = type.withLayout(PackedLayoutAttr::get(rewriter.getContext()));
    Value weight = WeightOp::create(rewriter, constant.getLoc(), packed, constant.getValue());
    return copy(weight, dims(type.getRank()), type);
  }
  bool crosses = tensorOf(tensor).isHost() && side == Side::Device;
  // A single element is a kernel's argument: nothing is copied.
  if (crosses && type.getNumElements().isConstant(1))
    return copy(tensor, dims(type.getRank()), type);
  if (auto extents = tensor.getDefiningOp<FromExtentsOp>()) {
    auto elements = llvm::map_to_vector(extents.getElements(), llvm::CastTo<ExtentAttr>);
    if (side == Side::Device)
      return elements.empty() ? empty(type)
                              : prog::storeExtents(rewriter, getLoc(), elements, type);
    SmallVector<Value> scalars;
    for (int64_t number = 0; number < static_cast<int64_t>(elements.size()); ++number)
      scalars.push_back(scalar(tensor, number));
    return fromScalars(scalars, type);
  }
  return crosses ? Value(UploadOp::create(rewriter, getLoc(), type, tensor)) : tensor;
}
