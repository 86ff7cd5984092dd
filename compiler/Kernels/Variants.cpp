// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Variants.h"

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;

// Constants, and headers of functions that they call.
#include "Kernels/Variants.cpp.inc"

std::optional<int64_t> ChosenNumbers::find(llvm::StringRef name) const {
  for (auto [known, number] : numbers)
    if (known == name)
      return number;
  return std::nullopt;
}

const VariantPack *Variant::findPack(llvm::StringRef image) const {
  const auto *found =
      llvm::find_if(packs, [&](const VariantPack &pack) { return pack.image == image; });
  return found == packs.end() ? nullptr : found;
}

const VariantPack *Variant::findCompiledPack(llvm::StringRef operand) const {
  const auto *found = llvm::find_if(
      packs, [&](const VariantPack &pack) { return pack.operand == operand && pack.call.empty(); });
  return found == packs.end() ? nullptr : found;
}

/// The first guard that does not hold; null where all do.
static const VariantGuard *findRefusal(const Variant &variant, const Problem &problem,
                                       const ChosenNumbers &choices) {
  const auto *refusal = llvm::find_if(
      variant.guards, [&](const VariantGuard &guard) { return !guard.holds(problem, choices); });
  return refusal == variant.guards.end() ? nullptr : refusal;
}

static Amount getPrice(const VariantAmount &amount, const Problem &problem,
                       const ChosenNumbers &choices) {
  return amount.count(problem, choices) * problem.getMachine().getPrice(amount.resource);
}

static Amount getPrice(const Variant &variant, const Problem &problem,
                       const ChosenNumbers &choices) {
  Amount price;
  for (const VariantAmount &amount : variant.amounts)
    price = price + getPrice(amount, problem, choices);
  return price;
}

ChosenNumbers cameo::evaluateMembers(llvm::ArrayRef<VariantMember> members, const Problem &problem,
                                     const ChosenNumbers &choices) {
  ChosenNumbers numbers;
  for (const VariantMember &member : members)
    numbers.numbers.push_back({member.name, member.get(problem, choices).get()});
  return numbers;
}

llvm::ArrayRef<Variant> cameo::getVariants() { return variants; }

static void addChoices(const Variant &variant, ChosenNumbers &choices,
                       llvm::function_ref<void(const ChosenNumbers &)> visit) {
  if (choices.numbers.size() == variant.choices.size())
    return visit(choices);
  const VariantChoice &choice = variant.choices[choices.numbers.size()];
  for (int64_t value : choice.values) {
    choices.numbers.push_back({choice.name, value});
    addChoices(variant, choices, visit);
    choices.numbers.pop_back();
  }
}

void cameo::forEachChoice(const Variant &variant,
                          llvm::function_ref<void(const ChosenNumbers &)> visit) {
  ChosenNumbers choices;
  addChoices(variant, choices, visit);
}

namespace {
/// The fate of each variant: the least price of the choices that are allowed, or the guard that
/// the last one was refused by; the choice that was taken keeps its own.
class Weighing {
public:
  Weighing(const Problem &problem, const Candidate &taken)
      : builder(problem.getContext()), problem(problem), taken(taken) {}

  void refuse(const Variant &variant, const VariantGuard &guard) {
    getRow(variant).refusal = &guard;
  }
  void allow(const Variant &variant, Amount price, const ChosenNumbers &choices);
  ArrayAttr build();

private:
  struct Row {
    const Variant *variant;
    const VariantGuard *refusal = nullptr;
    std::optional<Amount> price;
    ChosenNumbers choices;
  };

  Row &getRow(const Variant &variant);
  DictionaryAttr describe(const ChosenNumbers &choices);
  DictionaryAttr describe(const Row &row);
  /// The resource that most of a price is spent on, and how much of it in percent.
  void addBound(NamedAttrList &said, const Row &row);

  Builder builder;
  const Problem &problem;
  const Candidate &taken;
  llvm::SmallVector<Row> rows;
};
} // namespace

Weighing::Row &Weighing::getRow(const Variant &variant) {
  if (rows.empty() || rows.back().variant != &variant)
    rows.push_back({&variant, nullptr, std::nullopt, {}});
  return rows.back();
}

void Weighing::allow(const Variant &variant, Amount price, const ChosenNumbers &choices) {
  Row &row = getRow(variant);
  bool isTaken = &variant == taken.variant && choices.numbers == taken.choices.numbers;
  bool isOfTaken = &variant == taken.variant && row.choices.numbers == taken.choices.numbers;
  if (!row.price || isTaken || (!isOfTaken && price < *row.price))
    row = {&variant, nullptr, price, choices};
}

DictionaryAttr Weighing::describe(const ChosenNumbers &choices) {
  NamedAttrList numbers;
  for (auto [name, number] : choices.numbers)
    numbers.set(name, builder.getI64IntegerAttr(number));
  return numbers.getDictionary(builder.getContext());
}

void Weighing::addBound(NamedAttrList &said, const Row &row) {
  const VariantAmount *bound = nullptr;
  Amount most;
  for (const VariantAmount &amount : row.variant->amounts) {
    Amount spent = getPrice(amount, problem, row.choices);
    if (!bound || spent > most) {
      bound = &amount;
      most = spent;
    }
  }
  said.set("bound", builder.getStringAttr(bound->resource));
  said.set("percent",
           builder.getI64IntegerAttr((most * 100 / std::max<int64_t>(1, row.price->get())).get()));
}

DictionaryAttr Weighing::describe(const Row &row) {
  NamedAttrList said;
  said.set("name", builder.getStringAttr(row.variant->name));
  said.set("function", builder.getStringAttr(row.variant->function));
  if (!row.price)
    said.set("refused", builder.getStringAttr(row.refusal->text));
  else
    said.set("choices", describe(row.choices));
  if (row.price && !row.variant->amounts.empty()) {
    said.set("price", builder.getI64IntegerAttr(row.price->get()));
    addBound(said, row);
  }
  if (taken.variant == row.variant)
    said.set("taken", builder.getUnitAttr());
  return said.getDictionary(builder.getContext());
}

ArrayAttr Weighing::build() {
  return builder.getArrayAttr(
      llvm::map_to_vector(rows, [&](const Row &row) -> Attribute { return describe(row); }));
}

/// Calls `visit` with each variant of a contract that the problem's kernels have, and each
/// combination of what it leaves to choose.
static void forEachWay(llvm::StringRef contract, const Problem &problem,
                       llvm::function_ref<void(const Variant &, const ChosenNumbers &)> visit) {
  for (const Variant &variant : variants) {
    if (variant.contract != contract || !llvm::is_contained(variant.sets, problem.getKernels()))
      continue;
    forEachChoice(variant, [&](const ChosenNumbers &choices) { visit(variant, choices); });
  }
}

bool cameo::isInFront(const Candidate &a, const Candidate &b) {
  if (a.variant != b.variant)
    return a.variant < b.variant;
  auto getChosen = [](const Candidate &of) { return llvm::make_second_range(of.choices.numbers); };
  return std::lexicographical_compare(getChosen(a).begin(), getChosen(a).end(),
                                      getChosen(b).begin(), getChosen(b).end());
}

Candidate cameo::chooseVariant(llvm::StringRef contract, const Problem &problem) {
  Candidate best;
  if (!problem.getMachine())
    return best;
  forEachWay(contract, problem, [&](const Variant &variant, const ChosenNumbers &choices) {
    if (findRefusal(variant, problem, choices))
      return;
    Amount price = getPrice(variant, problem, choices);
    int64_t worth = best.variant == &variant ? variant.choiceWorth : variant.worth;
    if (!best || price * 100 < best.price * worth)
      best = {&variant, choices, evaluateMembers(variant.members, problem, choices), price};
  });
  return best;
}

Candidate cameo::findVariant(llvm::StringRef contract, llvm::StringRef name,
                             const ChosenNumbers &choices, const Problem &problem,
                             std::string &refusal) {
  Candidate found;
  refusal = "which there is no variant of, with these choices";
  forEachWay(contract, problem, [&](const Variant &variant, const ChosenNumbers &numbers) {
    if (variant.name != name || numbers.numbers != choices.numbers)
      return;
    if (const VariantGuard *guard = findRefusal(variant, problem, numbers))
      refusal = "which needs " + guard->text.str();
    else
      found = {&variant, numbers, evaluateMembers(variant.members, problem, numbers),
               getPrice(variant, problem, numbers)};
  });
  return found;
}

std::optional<Amount> cameo::getPriceIn(const Problem &problem, const Candidate &candidate) {
  if (findRefusal(*candidate.variant, problem, candidate.choices))
    return std::nullopt;
  return getPrice(*candidate.variant, problem, candidate.choices);
}

ArrayAttr cameo::weighVariants(llvm::StringRef contract, const Problem &problem,
                               const Candidate &taken) {
  if (!problem.isExplained())
    return {};
  Weighing weighing(problem, taken);
  forEachWay(contract, problem, [&](const Variant &variant, const ChosenNumbers &choices) {
    if (const VariantGuard *refusal = findRefusal(variant, problem, choices))
      weighing.refuse(variant, *refusal);
    else
      weighing.allow(variant, getPrice(variant, problem, choices), choices);
  });
  return weighing.build();
}

llvm::ArrayRef<llvm::StringLiteral> cameo::getRangedMembers(llvm::StringRef contract) {
  const auto *found = llvm::find_if(
      rangedContracts, [&](const RangedContract &row) { return row.contract == contract; });
  return found == std::end(rangedContracts) ? llvm::ArrayRef<llvm::StringLiteral>()
                                            : found->members;
}
