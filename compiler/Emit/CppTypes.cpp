// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/CppTypes.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/ElementTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

std::optional<CppType> cameo::getCppType(Type type) {
  const ElementInfo *info = getElementInfo(type);
  if (!info || info->kind == ElementKind::complex)
    return std::nullopt;
  return CppType{TrustedCode::make(info->cppName.str()),
                 "CAMEO_" + TrustedCode::make(info->onnxName.str()), getElementBytes(type)};
}

Code cameo::getStoredType(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  if (tensor && tensor.isPacked())
    return "uint8_t";
  return getCppType(tensor ? tensor.getElementType() : type)->name;
}

Code cameo::describeElements(SymTensorType type) {
  Code name = getCppType(type.getElementType())->name;
  return type.isPacked() ? "packed " + name : name;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// The shortest decimal that reads back as `value`, which is finite, with a point or an exponent.
template <class Float> std::string getShortest(Float value) {
  char digits[64];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  assert(error == std::errc() && "a float has fewer than 64 characters");
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

template <class Bits> std::string getHex(Bits bits) {
  return "0x" + llvm::utohexstr(bits, /*LowerCase=*/true, /*Width=*/2 * sizeof(Bits));
}

Code getIntegerLiteral(const CppType &type, IntegerType integer, const APInt &value) {
  unsigned width = integer.getWidth();
  if (width == 1)
    return value.isZero() ? Code("false") : Code("true");
  SmallString<24> digits;
  value.toString(digits, 10, /*Signed=*/!integer.isUnsigned());
  bool isLowest = !integer.isUnsigned() && value.isMinSignedValue();
  if (width == 32 && isLowest)
    return "INT32_MIN";
  if (width == 64 && isLowest)
    return "INT64_MIN";
  Code suffix = width == 64 && integer.isUnsigned() && !value.isSignedIntN(63) ? Code("u") : Code();
  return type.name + "{" + TrustedCode::make(digits.str().str()) + suffix + "}";
}

} // namespace

Code cameo::getFloatLiteral(float value) {
  if (std::isfinite(value))
    return TrustedCode::make(getShortest(value) + "f");
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return TrustedCode::make("bit_cast<float>(" + getHex(bits) + "u)");
}

Code cameo::getDoubleLiteral(double value) {
  if (std::isfinite(value))
    return TrustedCode::make(getShortest(value));
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return TrustedCode::make("bit_cast<double>(uint64_t{" + getHex(bits) + "})");
}

Code cameo::getInt64Literal(int64_t value) {
  if (value == INT64_MIN)
    return "INT64_MIN";
  return "int64_t{" + Code(value) + "}";
}

std::optional<Code> cameo::getLiteral(TypedAttr value) {
  std::optional<CppType> type = getCppType(value.getType());
  if (!type)
    return std::nullopt;
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return getIntegerLiteral(*type, cast<IntegerType>(value.getType()), integer.getValue());
  auto real = dyn_cast<FloatAttr>(value);
  if (!real)
    return std::nullopt;
  APFloat number = real.getValue();
  if (value.getType().isF64())
    return getDoubleLiteral(number.convertToDouble());
  if (value.getType().isF32())
    return getFloatLiteral(number.convertToFloat());
  // A smaller float is exact as a float; what is not finite goes by its bits.
  if (number.isFinite()) {
    bool inexact = false;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &inexact);
    return "cast<" + type->name + ">(" + getFloatLiteral(number.convertToFloat()) + ")";
  }
  APInt bits = number.bitcastToAPInt();
  Code hex = TrustedCode::make("0x" + llvm::utohexstr(bits.getZExtValue(), /*LowerCase=*/true,
                                                      (bits.getBitWidth() + 3) / 4));
  return type->name + "{" + hex + "}";
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Code cameo::getExtentCode(ExtentAttr extent, llvm::function_ref<Code(StringRef)> symbol) {
  // int64_t has no literal for its least value.
  if (extent.isConstant(INT64_MIN))
    return "INT64_MIN";
  std::string text;
  llvm::raw_string_ostream os(text);
  printExtent(os, extent, [&](StringRef name) { return symbol(name).str(); });
  return TrustedCode::make(std::move(text));
}

bool cameo::isSum(ExtentAttr extent) {
  if (extent.getKind() != ExtentKind::Polynomial)
    return false;
  llvm::ArrayRef<ExtentTerm> terms = extent.getTerms();
  return terms.size() > 1 || (terms.size() == 1 && terms.front().coefficient < 0);
}

ExtentAttr cameo::getByteSize(SymTensorType type) {
  return getCppType(type.getElementType()) ? getStorageBytes(type) : ExtentAttr();
}
