// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/External.h"

#include "Dialect/Core/IR/ExtentRelation.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Support/Diagnostic.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The position of a name among declared ones; nullopt where it is none of them.
std::optional<unsigned> findName(ArrayAttr names, StringRef name) {
  for (auto [number, known] : llvm::enumerate(names.getAsValueRange<StringAttr>()))
    if (known == name)
      return number;
  return std::nullopt;
}

/// A relation of a declaration with the extents of operands put in.
class DeclaredRelation {
public:
  /// Fails with a diagnostic where the text cannot be read or names an axis that there is not.
  static FailureOr<DeclaredRelation> read(ExternalOp op, StringRef text, ExtentInference &infer) {
    std::string error;
    FailureOr<ExtentRelation> parsed = parseExtentRelation(text, op.getContext(), error);
    if (failed(parsed))
      return infer.emitError() << "has a relation that cannot be read: "
                               << cameo::escapeText(error, 400);
    DeclaredRelation relation(std::move(*parsed));
    for (auto [number, reference] : llvm::enumerate(relation.parsed.references)) {
      FailureOr<ExtentAttr> extent = resolve(op, reference, infer);
      if (failed(extent))
        return failure();
      relation.extents[ExtentRelation::getSymbol(number)] = *extent;
    }
    return relation;
  }

  /// The extent of a result that stands on the left; null where the relation is of operands.
  const ExtentReference *getResult(ExternalOp op) const {
    if (!parsed.left.isSymbol())
      return nullptr;
    for (auto [number, reference] : llvm::enumerate(parsed.references))
      if (parsed.left.getSymbolName() == ExtentRelation::getSymbol(number) &&
          findName(op.getResultNames(), reference.name))
        return &reference;
    return nullptr;
  }

  bool isEquality() const { return parsed.isEquality(); }
  ExtentAttr getLeft() const { return apply(parsed.left); }
  ExtentAttr getMost() const { return apply(parsed.most); }
  StringRef getText() const { return parsed.text; }

private:
  explicit DeclaredRelation(ExtentRelation parsed) : parsed(std::move(parsed)) {}

  static FailureOr<ExtentAttr> resolve(ExternalOp op, const ExtentReference &reference,
                                       ExtentInference &infer) {
    std::optional<unsigned> position = findName(op.getOperandNames(), reference.name);
    Value operand = position ? op.getOperandAt(*position) : Value();
    std::optional<ArrayRef<ExtentAttr>> extents = operand ? infer.extents(operand) : std::nullopt;
    if (!extents)
      return infer.unknown();
    if (reference.index < 0 || reference.index >= static_cast<int64_t>(extents->size()))
      return infer.emitError() << "has no axis " << reference.index << " of "
                               << cameo::quoteText(reference.name) << " (C3, got rank "
                               << extents->size() << ")";
    return (*extents)[reference.index];
  }

  ExtentAttr apply(ExtentAttr extent) const {
    return extent ? extent.substitute([&](StringRef name) { return extents.lookup(name); })
                  : extent;
  }

  ExtentRelation parsed;
  llvm::StringMap<ExtentAttr> extents;
};

} // namespace

LogicalResult ExternalOp::verify() {
  size_t numOperands = getOperandNames().size(), numResults = getResultNames().size();
  bool fits = getOperandRanks().size() == numOperands &&
              getPositions().size() == getInputs().size() && getNumResults() == numResults &&
              getElementTypes().size() == numResults && getResultRanks().size() == numResults &&
              getShapesOf().size() == numResults && getValueNames().size() == getValues().size();
  auto isOperand = [&](int64_t position) {
    return position >= 0 && position < static_cast<int64_t>(numOperands);
  };
  fits &= llvm::all_of(getPositions(), isOperand) &&
          llvm::all_of(getShapesOf(), [&](int64_t of) { return of == -1 || isOperand(of); });
  return fits ? success() : emitOpError("does not fit its declaration");
}

/// A call that is not pure has an effect that the compiler does not see: it stays, and is merged
/// with no other.
void ExternalOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getPure())
    effects.emplace_back(MemoryEffects::Write::get());
}

Value ExternalOp::getOperandAt(int64_t position) {
  const int64_t *found = llvm::find(getPositions(), position);
  return found == getPositions().end() ? Value() : getInputs()[found - getPositions().begin()];
}

FailureOr<std::optional<SmallVector<DeclaredExtent>>>
ExternalOp::getDeclaredExtents(unsigned result, ExtentInference &infer) {
  using Extents = std::optional<SmallVector<DeclaredExtent>>;
  if (int64_t of = getShapesOf()[result]; of >= 0) {
    Value operand = getOperandAt(of);
    std::optional<ArrayRef<ExtentAttr>> same = operand ? infer.extents(operand) : std::nullopt;
    if (!same)
      return Extents();
    return Extents(llvm::map_to_vector(*same, [](ExtentAttr extent) {
      return DeclaredExtent{extent, /*isCounted=*/false};
    }));
  }
  SmallVector<DeclaredExtent> extents(getResultRanks()[result], {infer.unknown(), true});
  StringRef name = cast<StringAttr>(getResultNames()[result]).getValue();
  for (StringRef text : getRelations().getAsValueRange<StringAttr>()) {
    FailureOr<DeclaredRelation> relation = DeclaredRelation::read(*this, text, infer);
    if (failed(relation))
      return failure();
    const ExtentReference *said = relation->getResult(*this);
    if (!said || said->name != name)
      continue;
    if (said->index < 0 || said->index >= static_cast<int64_t>(extents.size()))
      return infer.emitError() << "has no axis " << said->index << " of " << cameo::quoteText(name)
                               << " (C3, got rank " << extents.size() << ")";
    extents[said->index] = {relation->getMost(), !relation->isEquality()};
  }
  return Extents(std::move(extents));
}

LogicalResult ExternalOp::inferExtents(ExtentInference &infer) {
  for (auto [position, operand] : llvm::zip_equal(getPositions(), getInputs()))
    if (int64_t rank = getOperandRanks()[position]; rank >= 0) {
      StringRef name = cast<StringAttr>(getOperandNames()[position]).getValue();
      if (failed(infer.requireRank(operand, (name + " (C1)").str(), rank, rank)))
        return failure();
    }
  for (StringRef text : getRelations().getAsValueRange<StringAttr>()) {
    FailureOr<DeclaredRelation> relation = DeclaredRelation::read(*this, text, infer);
    if (failed(relation))
      return failure();
    if (!relation->getResult(*this) &&
        failed(infer.requireEqual(relation->getLeft(), relation->getMost(),
                                  (relation->getText() + " (C2)").str())))
      return failure();
  }
  for (unsigned result = 0; result < getNumResults(); ++result) {
    Type element = cast<TypeAttr>(getElementTypes()[result]).getValue();
    FailureOr<std::optional<SmallVector<DeclaredExtent>>> declared =
        getDeclaredExtents(result, infer);
    if (failed(declared))
      return failure();
    if (!*declared) {
      infer.setUnranked(result, element);
      continue;
    }
    StringRef name = cast<StringAttr>(getResultNames()[result]).getValue();
    infer.setResult(result, element,
                    llvm::map_to_vector(**declared, [&](const DeclaredExtent &said) {
                      return said.isCounted ? infer.counted(name, said.extent) : said.extent;
                    }));
  }
  return success();
}
