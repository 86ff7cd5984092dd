// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Constants/ConstantBytes.h"

#include "Constants/EvaluateSteps.h"
#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

ConstantSource ConstantSource::own(std::vector<char> bytes, size_t elementBytes, bool isUniform) {
  auto owned = std::make_shared<const std::vector<char>>(std::move(bytes));
  return {{*owned, elementBytes, isUniform}, owned};
}

/// The elements behind a step that is no layout; those in front go.
static ConstantSource evaluateStep(Attribute step, SymTensorType from, SymTensorType to,
                                   const ConstantSource &source) {
  ArrayRef<int64_t> shape = from.getStaticType().getShape();
  std::vector<char> bytes;
#define CAMEO_STEP(Attribute)                                                                      \
  if (auto known = dyn_cast<prog::Attribute>(step))                                                \
    bytes = evaluate(known, shape, source.elements);
#include "Constants/Steps.def"
  assert(bytes.size() == static_cast<size_t>(*getStorageBytes(to).getConstant()) &&
         "a step whose elements are other than its type");
  return ConstantSource::own(std::move(bytes),
                             static_cast<size_t>(getElementBytes(to.getElementType())),
                             /*isUniform=*/false);
}

ConstantBytes::ConstantBytes(SymTensorType type, ArrayAttr steps, ConstantSource given)
    : source(std::move(given)) {
  for (Attribute step : getSteps(steps)) {
    SymTensorType from = type;
    bool isFitting = succeeded(
        cast<ConstantStepInterface>(step).apply(type, [] { return InFlightDiagnostic(); }));
    assert(isFitting && "steps are verified");
    (void)isFitting;
    if (!type.getLayout())
      source = evaluateStep(step, from, type, source);
  }
  packer.emplace(type);
  size = static_cast<size_t>(*getStorageBytes(type).getConstant());
}

void ConstantBytes::pack() {
  source = ConstantSource::own(getBytes(), source.elements.elementBytes, /*isUniform=*/false);
  packer.reset();
}

bool ConstantBytes::forEachPiece(PieceVisitor visit) const {
  const WeightElements &elements = source.elements;
  return packer ? packer->run(elements, visit)
                : visit(StringRef(elements.bytes.data(), elements.bytes.size()));
}

std::vector<char> ConstantBytes::getBytes() const {
  std::vector<char> bytes;
  bytes.reserve(size);
  forEachPiece([&](StringRef piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return true;
  });
  assert(bytes.size() == size && "a layout has as many bytes as its type");
  return bytes;
}
