// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Variants.h"

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

static bool holds(const Variant &variant, const Problem &problem, const ChosenNumbers &choices) {
  return llvm::all_of(variant.guards,
                      [&](const VariantGuard &guard) { return guard.holds(problem, choices); });
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

Candidate cameo::chooseVariant(llvm::StringRef contract, const Problem &problem) {
  Candidate best;
  if (!problem.getMachine())
    return best;
  for (const Variant &variant : variants) {
    if (variant.contract != contract || !llvm::is_contained(variant.sets, problem.getKernels()))
      continue;
    ChosenNumbers choices;
    forEachChoice(variant, choices, [&] {
      if (!holds(variant, problem, choices))
        return;
      Amount price = getPrice(variant, problem, choices);
      int64_t worth = best.variant == &variant ? variant.choiceWorth : variant.worth;
      if (!best || price * 100 < best.price * worth)
        best = {&variant, choices, getMembers(variant, problem, choices), price};
    });
  }
  return best;
}
