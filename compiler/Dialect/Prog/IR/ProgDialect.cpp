// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration and verifiers of the prog dialect.

#include "Dialect/Prog/IR/ProgDialect.h"

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/ElementOffset.h"
#include "Dialect/Prog/IR/FinishedWaits.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Support/NodeLocation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

#include "Dialect/Prog/IR/ProgDialect.cpp.inc"
#include "Dialect/Prog/IR/ProgInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Prog/IR/ProgAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Prog/IR/ProgTypes.cpp.inc"

void ProgDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Prog/IR/ProgAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Dialect/Prog/IR/ProgTypes.cpp.inc"
      >();
  registerProgDialectOperations(this);
}

Operation *ProgDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location location) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type)
    return nullptr;
  return SConstantOp::create(builder, location, typed);
}

//===----------------------------------------------------------------------===//
// BufferAttr
//===----------------------------------------------------------------------===//

/// buffer ::= `<` side `,` extent `,` first `,` last (`,` (`output` | `at`) number)? `>`
Attribute BufferAttr::parse(AsmParser &parser, Type) {
  StringRef side;
  int64_t first = 0, last = 0, output = -1, offset = -1;
  if (parser.parseLess() || parser.parseKeyword(&side) || parser.parseComma())
    return {};
  std::optional<Side> parsedSide = symbolizeSide(side);
  FailureOr<ExtentAttr> bytes = parseExtent(parser);
  if (!parsedSide || failed(bytes) || parser.parseComma() || parser.parseInteger(first) ||
      parser.parseComma() || parser.parseInteger(last))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    bool isPlaced = succeeded(parser.parseOptionalKeyword("at"));
    if ((!isPlaced && parser.parseKeyword("output")) ||
        parser.parseInteger(isPlaced ? offset : output))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *parsedSide, *bytes, first, last, output, offset);
}

void BufferAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifySide(getSide()) << ", ";
  getBytes().print(printer.getStream());
  printer << ", " << getFirst() << ", " << getLast();
  if (isOutput())
    printer << ", output " << getOutput();
  if (isPlaced())
    printer << ", at " << getOffset();
  printer << ">";
}

namespace {

/// The type that a body reads for one operand: an element of a tensor, or a host scalar itself.
Type getReadType(Type type) {
  if (auto tensor = dyn_cast<SymTensorType>(type))
    return tensor.getElementType();
  return type;
}

SmallVector<AffineMap> toMaps(ArrayAttr maps) {
  return llvm::to_vector(maps.getAsValueRange<AffineMapAttr>());
}

ArrayAttr toAttr(MLIRContext *context, ArrayRef<AffineMap> maps) {
  return Builder(context).getAffineMapArrayAttr(maps);
}

/// The rank of the memory that a map indexes: a blocked axis adds an inner dimension.
int64_t getPhysicalRank(SymTensorType type) {
  BlockedLayoutAttr layout = type.getBlockedLayout();
  return type.getRank() + (layout ? static_cast<int64_t>(layout.getAxes().size()) : 0);
}

LogicalResult verifyMap(Operation *op, AffineMap map, Type type, unsigned indexRank,
                        unsigned symbols) {
  auto tensor = dyn_cast<SymTensorType>(type);
  int64_t results = !tensor ? 0 : op->hasAttr(kOffsets) ? 1 : getPhysicalRank(tensor);
  if (tensor && !tensor.hasRank())
    return op->emitOpError("reads or writes a tensor of unknown rank");
  if (map.getNumDims() != indexRank || map.getNumSymbols() != symbols ||
      map.getNumResults() != results)
    return op->emitOpError("map ") << AffineMapAttr::get(map) << " does not fit an index of rank "
                                   << indexRank << ", " << symbols << " symbols and " << type;
  return success();
}

/// Verifies the rules of every op with a scalar body.
LogicalResult verifyBody(BodyOpInterface body, TypeRange storedTypes) {
  Operation *op = body;
  OperandRange inputs = body.getBodyInputs();
  SmallVector<AffineMap> inputMaps = body.getInputMaps();
  SmallVector<AffineMap> outputMaps = body.getOutputMaps();
  unsigned symbols = body.getMapSymbolExtents().size();
  if (inputMaps.size() != inputs.size() || outputMaps.size() != storedTypes.size())
    return op->emitOpError("needs one map per operand and per result");
  Block *block = body.getBodyBlock();
  unsigned leading = body.getNumTemplateValues();
  if (block->getNumArguments() != leading + inputs.size())
    return op->emitOpError("body has ")
           << block->getNumArguments() << " arguments, needs " << leading + inputs.size();
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (block->getArgument(leading + number).getType() != getReadType(input.getType()))
      return op->emitOpError("body argument ") << leading + number << " does not have the type of "
                                               << "operand " << number;
    if (failed(verifyMap(op, inputMaps[number], input.getType(), body.getIndexRank(), symbols)))
      return failure();
  }
  Operation *yield = block->getTerminator();
  for (auto [number, type] : llvm::enumerate(storedTypes)) {
    if (failed(verifyMap(op, outputMaps[number], type, body.getIndexRank(), symbols)))
      return failure();
    if (auto tensor = dyn_cast<SymTensorType>(type); tensor && tensor.isPacked())
      return op->emitOpError("writes single elements of result ")
             << number << ", which is packed: a byte has several";
    if (number >= yield->getNumOperands() ||
        yield->getOperand(number).getType() != getReadType(type))
      return op->emitOpError("does not yield the element type of result ") << number;
  }
  return success();
}

/// Results that are written in place must be tied to a destination of their type.
LogicalResult verifyTies(Operation *op, ArrayRef<int64_t> ties, OperandRange dests,
                         TypeRange results) {
  if (ties.size() != results.size())
    return op->emitOpError("needs one tie per result");
  for (auto [tie, type] : llvm::zip_equal(ties, results))
    if (tie >= static_cast<int64_t>(dests.size()) || (tie >= 0 && dests[tie].getType() != type))
      return op->emitOpError("ties a result to a destination of another type");
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

OperandRange KernelOp::getBodyInputs() { return getIns(); }
SmallVector<AffineMap> KernelOp::getInputMaps() { return toMaps(getInMaps()); }
SmallVector<AffineMap> KernelOp::getOutputMaps() { return toMaps(getOutMaps()); }
ArrayRef<Attribute> KernelOp::getMapSymbolExtents() { return getMapSymbols().getValue(); }
SmallVector<Value> KernelOp::getStoredResults() { return llvm::to_vector_of<Value>(getOutputs()); }
unsigned KernelOp::getIndexRank() { return getRank(); }
unsigned KernelOp::getNumTemplateValues() { return 0; }
Block *KernelOp::getBodyBlock() { return &getBody().front(); }

void KernelOp::setBodyInputs(ValueRange inputs, ArrayRef<AffineMap> maps,
                             ArrayRef<Attribute> symbols) {
  getInsMutable().assign(inputs);
  setInMapsAttr(toAttr(getContext(), maps));
  setMapSymbolsAttr(ArrayAttr::get(getContext(), symbols));
}

LogicalResult KernelOp::verify() {
  if (failed(verifyTies(*this, getTies(), getDests(), getOutputs().getTypes())))
    return failure();
  return verifyBody(cast<BodyOpInterface>(getOperation()), getOutputs().getTypes());
}

//===----------------------------------------------------------------------===//
// CallOp and its functors
//===----------------------------------------------------------------------===//

SmallVector<LoadOp, 2> CallOp::getLoads() {
  return llvm::to_vector<2>(getFunctors().front().getOps<LoadOp>());
}

SmallVector<StoreOp, 2> CallOp::getStores() {
  return llvm::to_vector<2>(getFunctors().front().getOps<StoreOp>());
}

bool CallOp::isStored(unsigned number) {
  return llvm::any_of(getStores(), [&](StoreOp store) {
    return llvm::is_contained(store.getTargets(), static_cast<int64_t>(number));
  });
}

LogicalResult CallOp::verify() {
  if (getScalars().size() != getScalarNames().size())
    return emitOpError("needs one name per scalar");
  for (Operation &op : getFunctors().front())
    if (!isa<LoadOp, StoreOp>(op))
      return emitOpError("holds '") << op.getName() << "', only loads and stores belong there";
  return verifyTies(*this, getTies(), getDests(), getOutputs().getTypes());
}

// The call's functors are verified too, which are sound by then.
LogicalResult CallOp::verifyRegions() { return verifyAgainstTemplate(*this); }

OperandRange LoadOp::getBodyInputs() { return getIns(); }
SmallVector<AffineMap> LoadOp::getInputMaps() { return toMaps(getInMaps()); }
SmallVector<AffineMap> LoadOp::getOutputMaps() { return {}; }
ArrayRef<Attribute> LoadOp::getMapSymbolExtents() { return getMapSymbols().getValue(); }
SmallVector<Value> LoadOp::getStoredResults() { return {}; }
unsigned LoadOp::getIndexRank() { return getRank(); }
unsigned LoadOp::getNumTemplateValues() { return getNumValues(); }
Block *LoadOp::getBodyBlock() { return &getBody().front(); }

void LoadOp::setBodyInputs(ValueRange inputs, ArrayRef<AffineMap> maps,
                           ArrayRef<Attribute> symbols) {
  getInsMutable().assign(inputs);
  setInMapsAttr(toAttr(getContext(), maps));
  setMapSymbolsAttr(ArrayAttr::get(getContext(), symbols));
}

LogicalResult LoadOp::verify() {
  if (getBodyBlock()->getTerminator()->getNumOperands() != 1)
    return emitOpError("must yield one element");
  return verifyBody(cast<BodyOpInterface>(getOperation()), {});
}

OperandRange StoreOp::getBodyInputs() { return getIns(); }
SmallVector<AffineMap> StoreOp::getInputMaps() { return toMaps(getInMaps()); }
SmallVector<AffineMap> StoreOp::getOutputMaps() { return toMaps(getOutMaps()); }
ArrayRef<Attribute> StoreOp::getMapSymbolExtents() { return getMapSymbols().getValue(); }
unsigned StoreOp::getIndexRank() { return getRank(); }
unsigned StoreOp::getNumTemplateValues() { return getNumValues(); }
Block *StoreOp::getBodyBlock() { return &getBody().front(); }

SmallVector<Value> StoreOp::getStoredResults() {
  SmallVector<Value> results;
  for (int64_t target : getTargets())
    results.push_back((*this)->getParentOp()->getResult(target));
  return results;
}

void StoreOp::setBodyInputs(ValueRange inputs, ArrayRef<AffineMap> maps,
                            ArrayRef<Attribute> symbols) {
  getInsMutable().assign(inputs);
  setInMapsAttr(toAttr(getContext(), maps));
  setMapSymbolsAttr(ArrayAttr::get(getContext(), symbols));
}

LogicalResult StoreOp::verify() {
  SmallVector<Type> types;
  for (int64_t target : getTargets()) {
    if (target < 0 || target >= static_cast<int64_t>((*this)->getParentOp()->getNumResults()))
      return emitOpError("stores to result ") << target << ", which the call does not have";
    types.push_back((*this)->getParentOp()->getResult(target).getType());
  }
  return verifyBody(cast<BodyOpInterface>(getOperation()), types);
}

//===----------------------------------------------------------------------===//
// ExternalOp
//===----------------------------------------------------------------------===//

LogicalResult ExternalOp::verify() {
  auto numOutputs = static_cast<int64_t>(getNumOutputs());
  int64_t written = getAsks() ? 0 : numOutputs;
  if (static_cast<int64_t>(getOutputs().size()) != written + (getCounts() ? 1 : 0) ||
      (getAsks() && !getCounts()))
    return emitOpError("has a wrong number of results for ") << numOutputs << " outputs";
  if (getNames().size() != getValues().size())
    return emitOpError("needs a value per attribute");
  return success();
}

void ExternalOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getPure())
    effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// RepackOp
//===----------------------------------------------------------------------===//

LogicalResult RepackOp::verify() {
  SymTensorType source = getSource().getType();
  if (source.withLayout({}) != getType().withLayout({}))
    return emitOpError("changes more than the layout");
  return success();
}

LogicalResult ViewOp::verify() {
  bool isPacked = getSource().getType().isPacked();
  if (isPacked != getType().isPacked() || (isPacked && !getOffset().isConstant(0)))
    return emitOpError("shows packed elements, which it can only from the first one on");
  return success();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

OpFoldResult ViewOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType() && getOffset().isConstant(0))
    return getSource();
  if (auto source = getSource().getDefiningOp<ViewOp>()) {
    setOffsetAttr(source.getOffset() + getOffset());
    getSourceMutable().assign(source.getSource());
    return getResult();
  }
  return {};
}

OpFoldResult ElementOp::fold(FoldAdaptor) {
  std::optional<int64_t> offset = getOffset().getConstant();
  auto source = getTensor().getDefiningOp<FromElementsOp>();
  if (source && offset && *offset >= 0 &&
      *offset < static_cast<int64_t>(source.getElements().size()))
    return source.getElements()[*offset];
  return {};
}

OpFoldResult SConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult SExtentOp::fold(FoldAdaptor) {
  if (std::optional<int64_t> value = getExtent().getConstant())
    return IntegerAttr::get(getType(), *value);
  return {};
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  // A loop's condition goes nowhere.
  auto loop = dyn_cast<LoopOp>((*this)->getParentOp());
  unsigned skipped = loop && loop.getCondition() ? 1 : 0;
  return MutableOperandRange(*this, skipped, getNumOperands() - skipped);
}

/// Whether values differ in their extents at most: each region names them by symbols of its own.
static bool haveSameElements(Type a, Type b) {
  auto x = dyn_cast<SymTensorType>(a), y = dyn_cast<SymTensorType>(b);
  return x && y ? x.getElementType() == y.getElementType() && x.getSide() == y.getSide() : a == b;
}

bool IfOp::areTypesCompatible(Type a, Type b) { return haveSameElements(a, b); }

bool LoopOp::areTypesCompatible(Type a, Type b) { return haveSameElements(a, b); }

/// The extents that the end of a region gives to the symbols of the op around it.
static ArrayRef<Attribute> getYieldedExtents(Region &region) {
  ArrayAttr extents = cast<YieldOp>(region.front().getTerminator()).getExtentsAttr();
  return extents ? extents.getValue() : ArrayRef<Attribute>();
}

ArrayRef<Attribute> IfOp::getThenExtents() { return getYieldedExtents(getThenRegion()); }
ArrayRef<Attribute> IfOp::getElseExtents() { return getYieldedExtents(getElseRegion()); }
ArrayRef<Attribute> LoopOp::getNextExtents() { return getYieldedExtents(getBody()); }

void IfOp::visitSymbols(SymbolVisitor visit) {
  for (auto [number, symbol, onThen, onElse] :
       llvm::enumerate(getSymbols().getAsRange<SymbolAttr>(), getThenExtents(), getElseExtents())) {
    ExtentAttr bound = cast<ExtentAttr>(onThen).max(cast<ExtentAttr>(onElse));
    bool isCounted = isCountedSymbol(getOperation(), number);
    visit({symbol, SymbolScope::Behind, bound, isCounted});
  }
}

void LoopOp::visitSymbols(SymbolVisitor visit) {
  visitLoopSymbols(
      getOperation(),
      {getIv(), getCountAttr(), getTripAttr(), getSymbols(), getInitExtents(), getNextExtents()},
      visit);
}

void BindElementsOp::visitSymbols(SymbolVisitor visit) {
  for (auto symbol : getSymbols().getAsRange<SymbolAttr>())
    visit({symbol, SymbolScope::Behind, symbol.getBound(), getOnDevice()});
}

ExtentRange BindElementsOp::getElementRange() {
  return getIntegerRange(getTensor().getType().getElementType());
}

bool BindElementsOp::isCheck() {
  auto isRestricted = [&](SymbolAttr symbol) { return symbol.getRange() != getElementRange(); };
  return !getOnDevice() && llvm::any_of(getSymbols().getAsRange<SymbolAttr>(), isRestricted);
}

void BindOp::visitSymbols(SymbolVisitor visit) {
  visit({getSymbol(), SymbolScope::Behind, getSymbol().getBound()});
}

bool BindOp::isCheck() { return getChecked(); }

void CountOp::visitSymbols(SymbolVisitor visit) {
  visit({getSymbol(), SymbolScope::Behind, getSymbol().getBound(), /*isOnDevice=*/true});
}

static constexpr StringLiteral kCountReader = "prog.count_reader";

void cameo::prog::setCountReader(FetchOp fetch, LocationAttr reader) {
  fetch->setDiscardableAttr(kCountReader, reader);
}

LocationAttr cameo::prog::getCountReader(FetchOp fetch) {
  return fetch->getAttrOfType<LocationAttr>(kCountReader);
}

static constexpr StringLiteral kCountReaders = "prog.count_readers";

void cameo::prog::setCountReaders(FetchOp fetch, ArrayRef<LocationAttr> readers) {
  Builder builder(fetch.getContext());
  fetch->setDiscardableAttr(
      kCountReaders,
      builder.getArrayAttr(llvm::map_to_vector(readers, [&](LocationAttr reader) -> Attribute {
        return reader ? Attribute(reader) : builder.getUnitAttr();
      })));
}

void cameo::prog::forEachCountRead(FetchOp fetch,
                                   llvm::function_ref<void(Value, LocationAttr)> visit) {
  if (LocationAttr reader = getCountReader(fetch))
    visit(fetch.getSource(), reader);
  if (auto readers = fetch->getAttrOfType<ArrayAttr>(kCountReaders))
    for (auto [input, reader] :
         llvm::zip_equal(fetch.getSource().getDefiningOp<KernelOp>().getIns(), readers))
      if (auto location = dyn_cast<LocationAttr>(reader))
        visit(input, location);
}

bool CountOp::isCheck() { return false; }

AssertOp AssertOp::demand(OpBuilder &builder, Location location, Value condition, bool value) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  if (nodes.empty())
    location = makeNodeLocation(builder.getContext(), "If", "", {});
  ArrayAttr wanted = builder.getArrayAttr({ExtentAttr::constant(builder.getContext(), value)});
  return AssertOp::create(builder, location, condition, wanted, wanted, /*demanded=*/true);
}

LogicalResult AssertOp::verify() {
  std::optional<int64_t> count = getTensor().getType().getNumElements().getConstant();
  if (count != static_cast<int64_t>(getLeast().size()) || getLeast().size() != getMost().size())
    return emitOpError("needs two limits per element");
  return success();
}

LogicalResult ExtentsOp::verify() {
  auto count = static_cast<int64_t>(getOutputs().size());
  SymTensorType type = getExtents().getType();
  if (getAxes().size() != getOutputs().size() || !type.getElementType().isSignlessInteger(64) ||
      type.getNumElements().getConstant() != count)
    return emitOpError("needs an output and an axis per element of 64 bits");
  return success();
}

Value AwaitOp::getAwaited() { return getTicket().getDefiningOp<FetchOp>().getSource(); }

bool AwaitOp::isLeftToDevice() { return getChooses() || isFinished(*this); }

void DefineOp::visitSymbols(SymbolVisitor visit) {
  ExtentAttr bound = getSymbol().getBound() ? getSymbol().getBound() : getExtent();
  visit({getSymbol(), SymbolScope::Behind, bound, /*isOnDevice=*/false, getExtent()});
}

bool DefineOp::isCheck() { return getChecked(); }

LogicalResult IfOp::verify() {
  for (Region *region : {&getThenRegion(), &getElseRegion()})
    if (region->front().getTerminator()->getNumOperands() != getNumResults() ||
        getYieldedExtents(*region).size() != getSymbols().size())
      return emitOpError("branches must yield one value per result and one extent per symbol");
  return success();
}

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &successors) {
  if (!point.isParent()) {
    successors.emplace_back(getOperation(), getOperation()->getResults());
    return;
  }
  successors.emplace_back(&getThenRegion());
  successors.emplace_back(&getElseRegion());
}

LogicalResult LoopOp::verify() {
  if (getSymbols().size() != getInitExtents().size() ||
      getSymbols().size() != getNextExtents().size())
    return emitOpError("needs an initial and a next extent per symbol");
  Block &block = getBody().front();
  if (block.getNumArguments() != getInits().size() || getInits().size() != getNumResults())
    return emitOpError("needs one body argument and one result per carried value");
  unsigned yielded = getInits().size() + (getCondition() ? 1 : 0);
  if (block.getTerminator()->getNumOperands() != yielded)
    return emitOpError("body must yield ") << yielded << " values";
  return success();
}

OperandRange LoopOp::getEntrySuccessorOperands(RegionSuccessor) { return getInits(); }

void LoopOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &successors) {
  successors.emplace_back(&getBody(), getBody().getArguments());
  successors.emplace_back(getOperation(), getOperation()->getResults());
}

bool cameo::prog::isNarrowing(SCastOp cast) {
  auto type = dyn_cast<IntegerType>(cast.getType());
  Type from = cast.getX().getType();
  return type && (type.getWidth() == 8 || type.getWidth() == 16) && (from.isF32() || from.isF64());
}
