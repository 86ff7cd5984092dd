// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Variants.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;

namespace {
#include "Kernels/Variants.cpp.inc"
} // namespace

std::optional<int64_t> ChosenNumbers::find(llvm::StringRef name) const {
  for (auto [known, number] : numbers)
    if (known == name)
      return number;
  return std::nullopt;
}

/// The first guard that does not hold; null where all do.
static const VariantGuard *findRefusal(const Variant &variant, const Problem &problem,
                                       const ChosenNumbers &choices) {
  const auto *refusal = llvm::find_if(
      variant.guards, [&](const VariantGuard &guard) { return !guard.holds(problem, choices); });
  return refusal == variant.guards.end() ? nullptr : refusal;
}

static Amount getPrice(const Variant &variant, const Problem &problem,
                       const ChosenNumbers &choices) {
  Amount price;
  for (const VariantAmount &amount : variant.amounts)
    price = price + amount.count(problem, choices) * problem.getMachine().getPrice(amount.resource);
  return price;
}

static ChosenNumbers getMembers(const Variant &variant, const Problem &problem,
                                const ChosenNumbers &choices) {
  ChosenNumbers members;
  for (const VariantMember &member : variant.members)
    members.numbers.push_back({member.name, member.get(problem, choices).get()});
  return members;
}

/// Calls `visit` with each combination of what a variant leaves to choose.
static void forEachChoice(const Variant &variant, ChosenNumbers &choices,
                          llvm::function_ref<void()> visit) {
  if (choices.numbers.size() == variant.choices.size())
    return visit();
  const VariantChoice &choice = variant.choices[choices.numbers.size()];
  for (int64_t value : choice.values) {
    choices.numbers.push_back({choice.name, value});
    forEachChoice(variant, choices, visit);
    choices.numbers.pop_back();
  }
}

namespace {
/// The fate of each variant: the least price of the choices that are allowed, or the guard that
/// the last one was refused by.
class Weighing {
public:
  explicit Weighing(const Problem &problem) : builder(problem.getContext()) {}

  void begin(const Variant &variant) { rows.push_back({&variant, nullptr, std::nullopt, {}}); }
  void refuse(const VariantGuard &guard) { rows.back().refusal = &guard; }
  void allow(Amount price, const ChosenNumbers &choices) {
    Row &row = rows.back();
    if (!row.price || price < *row.price)
      row = {row.variant, nullptr, price, choices};
  }
  ArrayAttr build(const Candidate &taken);

private:
  struct Row {
    const Variant *variant;
    const VariantGuard *refusal;
    std::optional<Amount> price;
    ChosenNumbers choices;
  };

  DictionaryAttr describe(const ChosenNumbers &choices);
  DictionaryAttr describe(const Row &row, const Candidate &taken);

  Builder builder;
  llvm::SmallVector<Row> rows;
};
} // namespace

DictionaryAttr Weighing::describe(const ChosenNumbers &choices) {
  NamedAttrList numbers;
  for (auto [name, number] : choices.numbers)
    numbers.set(name, builder.getI64IntegerAttr(number));
  return numbers.getDictionary(builder.getContext());
}

DictionaryAttr Weighing::describe(const Row &row, const Candidate &taken) {
  NamedAttrList said;
  said.set("name", builder.getStringAttr(row.variant->name));
  said.set("function", builder.getStringAttr(row.variant->function));
  bool isTaken = taken.variant == row.variant;
  if (!row.price)
    said.set("refused", builder.getStringAttr(row.refusal->text));
  else
    said.set("choices", describe(isTaken ? taken.choices : row.choices));
  if (row.price && !row.variant->amounts.empty())
    said.set("price", builder.getI64IntegerAttr((isTaken ? taken.price : *row.price).get()));
  if (isTaken)
    said.set("taken", builder.getUnitAttr());
  return said.getDictionary(builder.getContext());
}

ArrayAttr Weighing::build(const Candidate &taken) {
  return builder.getArrayAttr(
      llvm::map_to_vector(rows, [&](const Row &row) -> Attribute { return describe(row, taken); }));
}

Candidate cameo::chooseVariant(llvm::StringRef contract, const Problem &problem) {
  Candidate best;
  if (!problem.getMachine())
    return best;
  std::optional<Weighing> weighing;
  if (problem.isExplained())
    weighing.emplace(problem);
  for (const Variant &variant : variants) {
    if (variant.contract != contract || !llvm::is_contained(variant.sets, problem.getKernels()))
      continue;
    if (weighing)
      weighing->begin(variant);
    ChosenNumbers choices;
    forEachChoice(variant, choices, [&] {
      if (const VariantGuard *refusal = findRefusal(variant, problem, choices)) {
        if (weighing)
          weighing->refuse(*refusal);
        return;
      }
      Amount price = getPrice(variant, problem, choices);
      if (weighing)
        weighing->allow(price, choices);
      int64_t worth = best.variant == &variant ? variant.choiceWorth : variant.worth;
      if (!best || price * 100 < best.price * worth)
        best = {&variant, choices, getMembers(variant, problem, choices), price, {}};
    });
  }
  if (weighing)
    best.weighed = weighing->build(best);
  return best;
}
