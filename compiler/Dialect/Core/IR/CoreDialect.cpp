// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, printing and parsing of the `cameo` dialect's types and attributes.

#include "Dialect/Core/IR/CoreDialect.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/Core/IR/ExtentStorage.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo::core;

#include "Dialect/Core/IR/CoreAttrInterfaces.cpp.inc"
#include "Dialect/Core/IR/CoreDialect.cpp.inc"
#include "Dialect/Core/IR/CoreEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Core/IR/CoreAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Core/IR/CoreTypes.cpp.inc"

void CoreDialect::initialize() {
  addAttributes<ExtentAttr,
#define GET_ATTRDEF_LIST
#include "Dialect/Core/IR/CoreAttributes.cpp.inc"
                >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Dialect/Core/IR/CoreTypes.cpp.inc"
      >();
  makeElementTypes();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute CoreDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  llvm::SMLoc location = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult generated = generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (generated.has_value())
    return succeeded(*generated) ? attribute : Attribute();
  if (mnemonic == "extent") {
    if (parser.parseLess())
      return {};
    FailureOr<ExtentAttr> extent = parseExtent(parser);
    if (failed(extent) || parser.parseGreater())
      return {};
    return *extent;
  }
  parser.emitError(location) << "unknown attribute '" << mnemonic << "' of the cameo dialect";
  return {};
}

void CoreDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  if (auto extent = dyn_cast<ExtentAttr>(attribute)) {
    printer << "extent<";
    extent.print(printer.getStream());
    printer << ">";
    return;
  }
  (void)generatedAttributePrinter(attribute, printer);
}

namespace {
/// The end of a range: `*` for none.
FailureOr<int64_t> parseLimit(AsmParser &parser, int64_t none) {
  if (succeeded(parser.parseOptionalStar()))
    return none;
  int64_t limit = 0;
  return failed(parser.parseInteger(limit)) ? FailureOr<int64_t>() : limit;
}

void printLimit(AsmPrinter &printer, int64_t limit, int64_t none) {
  if (limit == none)
    printer << "*";
  else
    printer << limit;
}
} // namespace

/// symbol ::= `<` name (`in` `[` limit `,` limit `]`)? (`by` divisor)? (`bound` extent)? (`likely`
/// value)? `>`
Attribute SymbolAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SymbolFact fact;
  ExtentAttr bound;
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalKeyword("in"))) {
    if (parser.parseLSquare())
      return {};
    FailureOr<int64_t> min = parseLimit(parser, INT64_MIN);
    if (failed(min) || parser.parseComma())
      return {};
    FailureOr<int64_t> max = parseLimit(parser, INT64_MAX);
    if (failed(max) || parser.parseRSquare())
      return {};
    fact.min = *min;
    fact.max = *max;
  }
  if (succeeded(parser.parseOptionalKeyword("by")) && parser.parseInteger(fact.divisor))
    return {};
  if (succeeded(parser.parseOptionalKeyword("bound"))) {
    FailureOr<ExtentAttr> most = parseExtent(parser);
    if (failed(most))
      return {};
    bound = *most;
  }
  int64_t likely = 0;
  if (succeeded(parser.parseOptionalKeyword("likely"))) {
    if (parser.parseInteger(likely))
      return {};
    fact.likely = likely;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SymbolAttr>(parser.getContext(),
                                       StringAttr::get(parser.getContext(), name), fact.min,
                                       fact.max, fact.divisor, bound, fact.likely);
}

void SymbolAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printAttributeWithoutType(getNameAttr());
  SymbolFact dim;
  if (getMin() != dim.min || getMax() != dim.max) {
    printer << " in [";
    printLimit(printer, getMin(), INT64_MIN);
    printer << ", ";
    printLimit(printer, getMax(), INT64_MAX);
    printer << "]";
  }
  if (getDivisor() != 1)
    printer << " by " << getDivisor();
  if (getBound()) {
    printer << " bound ";
    getBound().print(printer.getStream());
  }
  if (getLikely())
    printer << " likely " << *getLikely();
  printer << ">";
}

LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                 int64_t min, int64_t max, int64_t divisor, ExtentAttr,
                                 std::optional<int64_t>) {
  if (!name || min > max || divisor < 1)
    return emitError() << "needs a name, a range and a divisor for a symbol";
  return success();
}

SymbolFact SymbolAttr::getFact() const {
  SymbolFact fact;
  fact.min = getMin();
  fact.max = getMax();
  fact.divisor = getDivisor();
  fact.bound = getBound();
  fact.likely = getLikely();
  return fact;
}

SymbolAttr SymbolAttr::withName(StringRef name) const {
  return get(getContext(), name, getFact(), getBound());
}

SymbolAttr SymbolAttr::withFact(const SymbolFact &fact) const {
  return get(getContext(), getName(), fact, getBound());
}

LogicalResult BlockedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                        ArrayRef<int64_t> axes, ArrayRef<int64_t> blocks,
                                        ArrayRef<int64_t> halo, int64_t fill) {
  if (halo.empty() && fill != 0)
    return emitError() << "needs a halo to fill with " << fill;
  if (axes.size() != blocks.size())
    return emitError() << "needs one block per axis";
  for (auto [number, axis] : llvm::enumerate(axes))
    if (axis < 0 || llvm::is_contained(axes.take_front(number), axis))
      return emitError() << "cannot cut axis " << axis << " into blocks";
  if (llvm::any_of(blocks, [](int64_t block) { return block < 1; }) ||
      llvm::any_of(halo, [](int64_t elements) { return elements < 0; }))
    return emitError() << "needs positive blocks and a halo that is not negative";
  return success();
}

int64_t BlockedLayoutAttr::getHaloOf(int64_t axis, int64_t rank) const {
  int64_t first = rank - static_cast<int64_t>(getHalo().size());
  return axis < first ? 0 : getHalo()[axis - first];
}

//===----------------------------------------------------------------------===//
// SymTensorType
//===----------------------------------------------------------------------===//

LogicalResult SymTensorType::verify(function_ref<InFlightDiagnostic()> emitError, bool ranked,
                                    ArrayRef<ExtentAttr> extents, Type elementType, Side,
                                    Attribute layout) {
  if (isa_and_nonnull<PackedLayoutAttr>(layout) && !isPackedElement(elementType))
    return emitError() << "elements of type " << elementType << " are not packed";
  auto blocked = dyn_cast_or_null<BlockedLayoutAttr>(layout);
  int64_t rank = static_cast<int64_t>(extents.size());
  if (!blocked)
    return success();
  if (!ranked || static_cast<int64_t>(blocked.getHalo().size()) > rank ||
      llvm::any_of(blocked.getAxes(), [&](int64_t axis) { return axis >= rank; }))
    return emitError() << "layout " << blocked << " does not fit the rank of the tensor";
  return success();
}

BlockedLayoutAttr SymTensorType::getBlockedLayout() const {
  return dyn_cast_or_null<BlockedLayoutAttr>(getLayout());
}

SmallVector<ExtentAttr> SymTensorType::getPhysicalExtents() const {
  SmallVector<ExtentAttr> extents(getExtents());
  BlockedLayoutAttr layout = getBlockedLayout();
  if (!layout)
    return extents;
  for (auto [axis, block] : llvm::zip_equal(layout.getAxes(), layout.getBlocks())) {
    extents[axis] = extents[axis].ceilDiv(block);
    extents.push_back(ExtentAttr::constant(getContext(), block));
  }
  for (int64_t axis = 0; axis < getRank(); ++axis)
    extents[axis] = extents[axis] + 2 * layout.getHaloOf(axis, getRank());
  return extents;
}

SymTensorType SymTensorType::withSide(Side side) const {
  return Base::get(getContext(), getRanked(), getExtents(), getElementType(), side, getLayout());
}

SymTensorType SymTensorType::withExtents(ArrayRef<ExtentAttr> extents) const {
  return Base::get(getContext(), true, extents, getElementType(), getSide(), getLayout());
}

SymTensorType SymTensorType::withElementType(Type elementType) const {
  return Base::get(getContext(), getRanked(), getExtents(), elementType, getSide(), getLayout());
}

SymTensorType SymTensorType::withLayout(Attribute layout) const {
  return Base::get(getContext(), getRanked(), getExtents(), getElementType(), getSide(), layout);
}

ExtentAttr SymTensorType::getNumElements() const {
  if (!hasRank())
    return ExtentAttr::unknown(getContext());
  ExtentAttr product = ExtentAttr::constant(getContext(), 1);
  for (ExtentAttr extent : getExtents())
    product = product * extent;
  return product;
}

RankedTensorType SymTensorType::getStaticType() const {
  if (!hasRank())
    return {};
  SmallVector<int64_t> shape;
  for (ExtentAttr extent : getExtents()) {
    std::optional<int64_t> size = extent.getConstant();
    if (!size)
      return {};
    shape.push_back(*size);
  }
  return RankedTensorType::get(shape, getElementType());
}

/// tensor ::= `<` (`*` | `[` extent-list `]`) `,` type (`,` side)? (`,` layout)? `>`
Type SymTensorType::parse(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  bool ranked = failed(parser.parseOptionalStar());
  SmallVector<ExtentAttr> extents;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<ExtentAttr> extent = parseExtent(parser);
    if (failed(extent))
      return failure();
    extents.push_back(*extent);
    return success();
  };
  if (ranked && parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return {};
  Type elementType;
  if (parser.parseComma() || parser.parseType(elementType))
    return {};
  Side side = Side::Unplaced;
  Attribute layout;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    if (succeeded(parser.parseOptionalKeyword(&keyword, {"host", "device"})))
      side = *symbolizeSide(keyword);
    else if (parser.parseAttribute(layout))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SymTensorType>(location, parser.getContext(), ranked, extents,
                                          elementType, side, layout);
}

void SymTensorType::print(AsmPrinter &printer) const {
  printer << "<";
  if (hasRank()) {
    printer << "[";
    llvm::interleaveComma(getExtents(), printer,
                          [&](ExtentAttr extent) { extent.print(printer.getStream()); });
    printer << "]";
  } else {
    printer << "*";
  }
  printer << ", " << getElementType();
  if (getSide() != Side::Unplaced)
    printer << ", " << stringifySide(getSide());
  if (getLayout())
    printer << ", " << getLayout();
  printer << ">";
}
