// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uniqued record behind an ExtentAttr; only the Extent*.cpp files of this folder see it. It
// holds what every query asks for: the terms (of an atom: itself, once), the size that caps bound,
// and the interval that holds for any assignment. Only ExtentBuilder may ask for a new record,
// because it alone knows the normal form.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTSTORAGE_H
#define CAMEO_DIALECT_CORE_IR_EXTENTSTORAGE_H

#include "Dialect/Core/IR/Extent.h"
#include "Dialect/Core/IR/ExtentRange.h"

#include "mlir/IR/AttributeSupport.h"

namespace cameo::core {

/// The interval of an extent from the intervals of its parts.
ExtentRange transferRange(ExtentKind kind, llvm::ArrayRef<ExtentAttr> operands,
                          llvm::ArrayRef<ExtentTerm> terms,
                          llvm::function_ref<ExtentRange(ExtentAttr)> rangeOf);

/// The order of products: more factors first, then by the first factor that differs. Multiplying
/// both sides by the same factor keeps it, which makes it a monomial order.
int compareFactors(llvm::ArrayRef<ExtentAttr> lhs, llvm::ArrayRef<ExtentAttr> rhs);

namespace detail {

/// The identity of an extent. `operands` for atoms but symbols, `terms` for polynomials.
struct ExtentKey {
  ExtentKind kind;
  llvm::StringRef name;
  llvm::ArrayRef<ExtentAttr> operands;
  llvm::ArrayRef<ExtentTerm> terms;

  uint32_t getSize() const;
  uint32_t getDepth() const;
};

struct ExtentAttrStorage : mlir::AttributeStorage {
  using KeyTy = ExtentKey;

  explicit ExtentAttrStorage(const ExtentKey &key) : key(key) {}
  static ExtentAttrStorage *construct(mlir::AttributeStorageAllocator &allocator,
                                      const ExtentKey &key);
  static llvm::hash_code hashKey(const ExtentKey &key);
  bool operator==(const ExtentKey &other) const;

  ExtentKey key;
  llvm::ArrayRef<ExtentTerm> terms;
  uint32_t size = 1;
  uint32_t depth = 1;
  ExtentRange range;
};

} // namespace detail
} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTSTORAGE_H
