// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniquing of extents, and their structural order. Equal keys are one record, so the builder's
// normal form makes equality of extents equality of pointers.

#include "Dialect/Core/IR/ExtentStorage.h"

#include "llvm/ADT/Hashing.h"

using namespace cameo::core;
using namespace cameo::core::detail;
using llvm::ArrayRef;

MLIR_DEFINE_EXPLICIT_TYPE_ID(cameo::core::ExtentAttr)

uint32_t ExtentKey::getSize() const {
  // Every part is within kMaxExtentSize, and builders stop far below 2^32 / kMaxExtentSize parts.
  uint32_t size = 1;
  for (ExtentAttr operand : operands)
    size += operand.getSize();
  for (const ExtentTerm &term : terms) {
    size += term.coefficient != 1 || term.factors.empty();
    for (ExtentAttr factor : term.factors)
      size += factor.getSize();
  }
  return size;
}

uint32_t ExtentKey::getDepth() const {
  uint32_t depth = 0;
  for (ExtentAttr operand : operands)
    depth = std::max(depth, operand.getDepth());
  for (const ExtentTerm &term : terms)
    for (ExtentAttr factor : term.factors)
      depth = std::max(depth, factor.getDepth());
  return depth + 1;
}

ExtentAttrStorage *ExtentAttrStorage::construct(mlir::AttributeStorageAllocator &allocator,
                                                const ExtentKey &key) {
  ExtentKey owned{key.kind, allocator.copyInto(key.name), allocator.copyInto(key.operands), {}};
  llvm::SmallVector<ExtentTerm> terms;
  for (const ExtentTerm &term : key.terms)
    terms.push_back({term.coefficient, allocator.copyInto(term.factors)});
  owned.terms = allocator.copyInto(ArrayRef<ExtentTerm>(terms));

  auto *storage = new (allocator.allocate<ExtentAttrStorage>()) ExtentAttrStorage(owned);
  storage->size = owned.getSize();
  storage->depth = owned.getDepth();
  storage->range = transferRange(owned.kind, owned.operands, owned.terms,
                                 [](ExtentAttr part) { return part.getImpl()->range; });
  storage->terms = owned.terms;
  if (key.kind != ExtentKind::Polynomial && key.kind != ExtentKind::Unknown) {
    ArrayRef<ExtentAttr> self = allocator.copyInto(ArrayRef<ExtentAttr>(ExtentAttr(storage)));
    storage->terms = allocator.copyInto(ArrayRef<ExtentTerm>(ExtentTerm{1, self}));
  }
  return storage;
}

/// Extents are looked up by the hundred for an operator, and llvm::hash_combine takes several times
/// as long for so short keys.
llvm::hash_code ExtentAttrStorage::hashKey(const ExtentKey &key) {
  uint64_t hash = static_cast<uint64_t>(key.kind);
  auto add = [&](uint64_t value) { hash = llvm::densemap::detail::mix(hash ^ value); };
  auto addAll = [&](ArrayRef<ExtentAttr> parts) {
    for (ExtentAttr part : parts)
      add(reinterpret_cast<uintptr_t>(part.getAsOpaquePointer()));
  };
  if (!key.name.empty())
    add(llvm::hash_value(key.name));
  addAll(key.operands);
  for (const ExtentTerm &term : key.terms) {
    add(static_cast<uint64_t>(term.coefficient));
    addAll(term.factors);
  }
  return hash;
}

bool ExtentAttrStorage::operator==(const ExtentKey &other) const {
  auto sameTerm = [](const ExtentTerm &lhs, const ExtentTerm &rhs) {
    return lhs.coefficient == rhs.coefficient && lhs.factors == rhs.factors;
  };
  return key.kind == other.kind && key.name == other.name && key.operands == other.operands &&
         std::equal(key.terms.begin(), key.terms.end(), other.terms.begin(), other.terms.end(),
                    sameTerm);
}

ExtentRange cameo::core::transferRange(ExtentKind kind, ArrayRef<ExtentAttr> operands,
                                       ArrayRef<ExtentTerm> terms,
                                       llvm::function_ref<ExtentRange(ExtentAttr)> rangeOf) {
  switch (kind) {
  case ExtentKind::Symbol:
  case ExtentKind::Unknown:
    return {};
  case ExtentKind::FloorDiv:
    return rangeOf(operands[0]).floorDiv(rangeOf(operands[1]));
  case ExtentKind::Mod:
    return rangeOf(operands[0]).mod(rangeOf(operands[1]));
  case ExtentKind::Min:
  case ExtentKind::Max: {
    ExtentRange result = rangeOf(operands.front());
    for (ExtentAttr operand : operands.drop_front()) {
      ExtentRange next = rangeOf(operand);
      result = kind == ExtentKind::Min ? result.min(next) : result.max(next);
    }
    return result;
  }
  case ExtentKind::Polynomial:
    break;
  }
  ExtentRange sum = ExtentRange::constant(0);
  for (const ExtentTerm &term : terms) {
    ExtentRange product = ExtentRange::constant(term.coefficient);
    for (ArrayRef<ExtentAttr> rest = term.factors; !rest.empty();) {
      ExtentAttr factor = rest.front();
      ArrayRef<ExtentAttr> others =
          rest.drop_while([&](ExtentAttr other) { return other == factor; });
      product = product * rangeOf(factor).power(static_cast<unsigned>(rest.size() - others.size()));
      rest = others;
    }
    sum = sum + product;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

template <typename T> static int compareValues(T lhs, T rhs) {
  return lhs < rhs ? -1 : (rhs < lhs ? 1 : 0);
}

int cameo::core::compareFactors(ArrayRef<ExtentAttr> lhs, ArrayRef<ExtentAttr> rhs) {
  if (lhs.size() != rhs.size())
    return lhs.size() > rhs.size() ? -1 : 1;
  // At most one pair differs below the first difference, so this is linear in the depth.
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    if (left != right)
      return compareExtents(left, right);
  return 0;
}

int cameo::core::compareExtents(ExtentAttr lhs, ExtentAttr rhs) {
  if (lhs == rhs)
    return 0;
  if (lhs.getKind() != rhs.getKind())
    return compareValues(lhs.getKind(), rhs.getKind());
  if (lhs.isSymbol())
    return lhs.getSymbolName().compare(rhs.getSymbolName());
  if (lhs.getKind() != ExtentKind::Polynomial)
    return compareFactors(lhs.getOperands(), rhs.getOperands());
  ArrayRef<ExtentTerm> left = lhs.getTerms(), right = rhs.getTerms();
  if (left.size() != right.size())
    return left.size() > right.size() ? -1 : 1;
  for (auto [leftTerm, rightTerm] : llvm::zip_equal(left, right)) {
    if (int order = compareFactors(leftTerm.factors, rightTerm.factors))
      return order;
    if (int order = compareValues(leftTerm.coefficient, rightTerm.coefficient))
      return order;
  }
  return 0;
}
