// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types, constants and extents in C++.

#ifndef CAMEO_EMIT_CPPTYPES_H
#define CAMEO_EMIT_CPPTYPES_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "Emit/CppCode.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

#include <optional>

namespace cameo {

/// How an ONNX element type is spelled.
struct CppType {
  /// In C++, in namespace cameo.
  Code name;
  /// Its cameo_dtype.
  Code dtype;
  /// Bytes of one element inside the program, where 4- and 2-bit values have a byte each.
  int64_t bytes;
};

/// None for a type that generated code has no name for.
std::optional<CppType> getCppType(mlir::Type type);

/// The type to which a pointer to a tensor's elements points: bytes, where they are packed. A
/// scalar has its own type. Not for types without a name.
Code getStoredType(mlir::Type type);

/// The elements of an input or output in words, for a reader.
Code describeElements(core::SymTensorType type);

/// Exactly this value, as an expression of the type that `getCppType` gives; none when it has none.
/// Does not depend on a locale.
std::optional<Code> getLiteral(mlir::TypedAttr value);
/// A literal of type float or double, NaN and infinities included.
Code getFloatLiteral(float value);
Code getDoubleLiteral(double value);
Code getInt64Literal(int64_t value);

/// An extent as an expression of int64_t (or of `checked`, if the symbols are). Not for `unknown`.
Code getExtentCode(core::ExtentAttr extent, llvm::function_ref<Code(llvm::StringRef)> symbol);
/// Whether it prints as a sum or another expression that needs parentheses as a factor.
bool isSum(core::ExtentAttr extent);

/// Bytes of a tensor in its layout; null when the element type has no size.
core::ExtentAttr getByteSize(core::SymTensorType type);

} // namespace cameo

#endif // CAMEO_EMIT_CPPTYPES_H
