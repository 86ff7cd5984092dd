// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, printing and parsing of the `cameo` dialect's types and attributes.

#include "Dialect/Core/IR/CoreDialect.h"

#include "Dialect/Core/IR/ExtentStorage.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo::core;

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

//===----------------------------------------------------------------------===//
// SymTensorType
//===----------------------------------------------------------------------===//

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
  return Base::get(parser.getContext(), ranked, extents, elementType, side, layout);
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
