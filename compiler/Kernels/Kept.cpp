// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Kept.h"

#include "Kernels/Explained.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;
using namespace cameo;

/// A dictionary: by node an array of dictionaries with `variant`, `choices` and `most`.
static constexpr llvm::StringLiteral kKept = "cameo.kept";

static DictionaryAttr describe(const KeptVariant &kept, Builder &builder) {
  NamedAttrList choices, said;
  for (const auto &[name, number] : kept.choices)
    choices.set(name, builder.getI64IntegerAttr(number));
  said.set("variant", builder.getStringAttr(kept.variant));
  said.set("choices", choices.getDictionary(builder.getContext()));
  if (kept.most)
    said.set("most", builder.getI64IntegerAttr(*kept.most));
  return said.getDictionary(builder.getContext());
}

void cameo::keepVariants(ModuleOp module, const KeptVariants &kept) {
  if (kept.empty())
    return;
  Builder builder(module.getContext());
  NamedAttrList nodes;
  for (const auto &[node, ranges] : kept)
    nodes.set(node, builder.getArrayAttr(
                        llvm::map_to_vector(ranges, [&](const KeptVariant &variant) -> Attribute {
                          return describe(variant, builder);
                        })));
  module->setAttr(kKept, nodes.getDictionary(module.getContext()));
}

//===----------------------------------------------------------------------===//
// Choices that were made
//===----------------------------------------------------------------------===//

/// The one of the weighed variants that was taken; nullopt where none was.
static std::optional<KeptVariant> getTaken(Operation *op) {
  for (auto said : op->getAttrOfType<ArrayAttr>(kWeighed).getAsRange<DictionaryAttr>()) {
    if (!said.contains("taken"))
      continue;
    KeptVariant kept{said.getAs<StringAttr>("name").str(), {}, {}};
    for (NamedAttribute choice : said.getAs<DictionaryAttr>("choices"))
      kept.choices.emplace_back(choice.getName().str(),
                                cast<IntegerAttr>(choice.getValue()).getInt());
    if (auto where = op->getAttrOfType<DictionaryAttr>(kWhere))
      if (auto most = where.getAs<IntegerAttr>("most"))
        kept.most = most.getInt();
    return kept;
  }
  return std::nullopt;
}

KeptVariants cameo::getChosenVariants(ModuleOp selected) {
  std::map<std::string, std::vector<KeptVariant>> chosen;
  std::map<std::string, bool> ends;
  llvm::SmallVector<std::string> differing;
  selected.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto node = op->getAttrOfType<StringAttr>(kChosenFor);
    if (!node)
      return;
    std::optional<KeptVariant> taken = getTaken(op);
    auto [entry, isFirst] = chosen.try_emplace(node.str());
    bool &ended = ends[node.str()];
    if (!isFirst && (ended || !taken))
      differing.push_back(node.str());
    if (taken)
      entry->second.push_back(*taken);
    ended = !taken || !taken->most;
  });
  for (const std::string &node : differing)
    chosen.erase(node);
  return {chosen.begin(), chosen.end()};
}

//===----------------------------------------------------------------------===//
// Choices that are kept
//===----------------------------------------------------------------------===//

static ArrayAttr lookup(const Problem &problem) {
  auto kept = problem.getModule()->getAttrOfType<DictionaryAttr>(kKept);
  return kept ? kept.getAs<ArrayAttr>(problem.getNode()) : ArrayAttr();
}

bool cameo::isKept(const Problem &problem) { return lookup(problem) != nullptr; }

static ChosenNumbers readChoices(DictionaryAttr choices) {
  ChosenNumbers numbers;
  for (NamedAttribute choice : choices)
    numbers.numbers.emplace_back(choice.getName().strref(),
                                 cast<IntegerAttr>(choice.getValue()).getInt());
  return numbers;
}

llvm::FailureOr<RangedChoice> cameo::getKept(llvm::StringRef contract, const Problem &problem) {
  RangedChoice choice;
  for (auto said : lookup(problem).getAsRange<DictionaryAttr>()) {
    llvm::StringRef name = said.getAs<StringAttr>("variant").getValue();
    ChosenNumbers choices = readChoices(said.getAs<DictionaryAttr>("choices"));
    std::string refusal;
    Candidate candidate = findVariant(contract, name, choices, problem, refusal);
    if (!candidate)
      return emitError(problem.getLocation())
             << "is to be computed by " << name << " as the plan has it, " << refusal
             << ": take the node out of the plan's variants, or undo what has changed";
    auto most = said.getAs<IntegerAttr>("most");
    choice.ranges.push_back(
        {candidate, problem, most ? std::optional(most.getInt()) : std::nullopt});
  }
  return choice;
}
