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
  /// Of one element inside the program, where 4- and 2-bit values have a byte each.
  int64_t bytes;
};

/// None for a type that generated code has no name for.
std::optional<CppType> getCppType(mlir::Type type);

/// What a pointer to the elements of a tensor points to: bytes, where they are packed. Of a scalar
/// its own type. Not for types without a name.
Code getStoredType(mlir::Type type);

/// What a reader is told that the elements of an input or output are.
Code describeElements(core::SymTensorType type);

/// Exactly this value, as an expression of the type that `getCppType` gives; none when it has none.
/// Does not depend on a locale.
std::optional<Code> getLiteral(mlir::TypedAttr value);
/// Of type float and double; NaN and infinities included.
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
