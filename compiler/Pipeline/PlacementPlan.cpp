// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/PlacementPlan.h"

#include "Dialect/Core/IR/ExtentRelation.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/PinExpressions.h"
#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Support/Diagnostic.h"
#include "Support/JsonLimits.h"
#include "Support/NodeLocation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Plans travel with models: a report nests six deep. Texts are what a user typed as flags.
constexpr unsigned kMaxDepth = 32;
constexpr size_t kMaxTexts = 1024, kMaxTextBytes = 4096;

static bool readTexts(const llvm::json::Object &plan, StringRef member,
                      std::vector<std::string> &texts, std::string &error) {
  const llvm::json::Array *list = plan.getArray(member);
  bool isSmall = !list || list->size() <= kMaxTexts;
  for (const llvm::json::Value &text : list ? *list : llvm::json::Array()) {
    std::optional<StringRef> string = text.getAsString();
    if (!string)
      return false;
    isSmall &= string->size() <= kMaxTextBytes;
    texts.push_back(string->str());
  }
  if (!isSmall)
    error = "has too much in '" + member.str() + "' (need at most " + std::to_string(kMaxTexts) +
            " texts, each of at most " + std::to_string(kMaxTextBytes) + " bytes)";
  return list && isSmall;
}

static std::optional<KeptVariant> readVariant(const llvm::json::Value &value) {
  const llvm::json::Object *said = value.getAsObject();
  std::optional<StringRef> name = said ? said->getString("variant") : std::nullopt;
  const llvm::json::Object *choices = said ? said->getObject("choices") : nullptr;
  if (!name || !choices)
    return std::nullopt;
  KeptVariant kept{name->str(), {}, {}};
  for (const auto &[choice, value] : *choices) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number)
      return std::nullopt;
    kept.choices.emplace_back(choice.str(), *number);
  }
  llvm::sort(kept.choices);
  if (said->get("most")) {
    kept.most = said->getInteger("most");
    if (!kept.most)
      return std::nullopt;
  }
  return kept;
}

/// The ranges of a node: each but the last one ends, behind the one before it.
static bool readRanges(const llvm::json::Array &list, std::vector<KeptVariant> &ranges) {
  for (const llvm::json::Value &value : list) {
    std::optional<KeptVariant> range = readVariant(value);
    bool isLast = ranges.size() + 1 == list.size();
    if (!range || range->most.has_value() == isLast ||
        (!isLast && !ranges.empty() && *range->most <= *ranges.back().most))
      return false;
    ranges.push_back(std::move(*range));
  }
  return !ranges.empty() && ranges.size() <= 3;
}

/// Plans of earlier versions have none.
static bool readVariants(const llvm::json::Object &plan, KeptVariants &variants) {
  const llvm::json::Value *member = plan.get("variants");
  if (!member)
    return true;
  const llvm::json::Object *nodes = member->getAsObject();
  if (!nodes)
    return false;
  for (const auto &[node, ranges] : *nodes) {
    const llvm::json::Array *list = ranges.getAsArray();
    if (!list ||
        !readRanges(*list, variants.emplace_back(node.str(), std::vector<KeptVariant>()).second))
      return false;
  }
  llvm::sort(variants, llvm::less_first());
  return true;
}

FailureOr<PlacementPlan> PlacementPlan::read(StringRef text, std::string &error) {
  error = checkJsonSize(text, kMaxDepth);
  if (!error.empty())
    return failure();
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed) {
    error = llvm::toString(parsed.takeError());
    return failure();
  }
  error = "is no plan that --emit-plan has written";
  const llvm::json::Object *file = parsed->getAsObject();
  const llvm::json::Object *steering = file ? file->getObject("plan") : nullptr;
  const llvm::json::Object *sides = steering ? steering->getObject("sides") : nullptr;
  PlacementPlan plan;
  if (!sides || !readTexts(*steering, "assert", plan.asserts, error) ||
      !readTexts(*steering, "value", plan.values, error) ||
      !readTexts(*steering, "place", plan.pins, error) || !readVariants(*steering, plan.variants))
    return failure();
  for (const auto &[name, side] : *sides) {
    std::optional<Side> known = symbolizeSide(side.getAsString().value_or(""));
    if (!known || *known == Side::Unplaced)
      return failure();
    plan.sides.emplace_back(name.str(), *known);
  }
  // In the order of their names, which an object does not keep.
  llvm::sort(plan.sides);
  error.clear();
  return plan;
}

static llvm::json::Object toJson(const KeptVariant &kept) {
  llvm::json::Object choices;
  for (const auto &[name, number] : kept.choices)
    choices[name] = number;
  llvm::json::Object said{{"variant", kept.variant}, {"choices", std::move(choices)}};
  if (kept.most)
    said["most"] = *kept.most;
  return said;
}

void PlacementPlan::addTo(llvm::json::Object &report) const {
  llvm::json::Object kept;
  for (const auto &[node, ranges] : variants) {
    llvm::json::Array list;
    for (const KeptVariant &range : ranges)
      list.push_back(toJson(range));
    kept[node] = std::move(list);
  }
  llvm::json::Object named;
  for (const auto &[name, side] : sides)
    named[llvm::json::fixUTF8(name)] = stringifySide(side);
  report["plan"] = llvm::json::Object{{"assert", asserts},
                                      {"place", pins},
                                      {"sides", std::move(named)},
                                      {"value", values},
                                      {"variants", std::move(kept)}};
}

std::vector<std::string> PlacementPlan::getPins() const {
  std::vector<std::string> all;
  for (const auto &[name, side] : sides)
    all.push_back(PinExpressions::format(name, side));
  llvm::append_range(all, pins);
  return all;
}

std::vector<std::pair<std::string, Side>> cameo::getSides(ModuleOp placed) {
  std::map<std::string, Side> sides;
  for (auto function : placed.getOps<func::FuncOp>())
    forEachValue(function, [&](Value value) {
      auto type = dyn_cast<SymTensorType>(value.getType());
      StringRef name = getOnnxName(value);
      // A copy has the name of what it is a copy of.
      bool isCopy = isa_and_nonnull<prog::AwaitOp, prog::UploadOp>(value.getDefiningOp());
      if (type && !name.empty() && !isCopy && !isOnBothSides(value))
        sides.try_emplace(name.str(), type.getSide());
    });
  return {sides.begin(), sides.end()};
}

//===----------------------------------------------------------------------===//
// Another model
//===----------------------------------------------------------------------===//

namespace {

/// The things for which a model has names.
class ModelNames {
public:
  explicit ModelNames(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>()) {
      llvm::append_range(values, getOnnxNames(function));
      for (Type type : function.getArgumentTypes())
        if (auto tensor = dyn_cast<SymTensorType>(type))
          for (ExtentAttr extent : tensor.getExtents())
            extent.collectSymbols(dims);
    }
    known.insert_range(values);
    module.walk([&](Operation *op) { nodes.insert(describeNode(op->getLoc())); });
  }

  bool hasValue(StringRef name) const { return known.contains(name); }
  bool hasNode(StringRef node) const { return nodes.contains(node); }
  bool hasAll(ArrayRef<ExtentReference> references) const {
    return llvm::all_of(references, [&](const ExtentReference &reference) {
      return hasValue(reference.name) || dims.contains(reference.name);
    });
  }
  static bool canRead(ArrayRef<std::string> pins, Operation *op) {
    ScopedDiagnosticHandler quiet(op->getContext(), [](mlir::Diagnostic &) { return success(); });
    return succeeded(PinExpressions::read(pins, op));
  }
  bool hasMatch(const std::string &pin, Operation *op) const {
    FailureOr<PinExpressions> pins = PinExpressions::read(pin, op);
    return succeeded(pins) && pins->matchesAny(values);
  }

private:
  SmallVector<StringRef> values;
  llvm::StringSet<> known, nodes;
  llvm::SetVector<StringRef> dims;
};

} // namespace

/// Keeps the entries for which `fits` holds; the others are told of in one warning.
template <class Entry, class Fits, class Name>
static void keep(std::vector<Entry> &entries, StringRef kind, std::vector<std::string> &warnings,
                 Fits fits, Name getName) {
  constexpr size_t kMostNamed = 8;
  std::string list;
  size_t dropped = 0;
  llvm::erase_if(entries, [&](const Entry &entry) {
    if (fits(entry))
      return false;
    if (dropped < kMostNamed)
      list += (dropped == 0 ? "" : ", ") + quoteText(getName(entry));
    return ++dropped, true;
  });
  if (dropped > kMostNamed)
    list += " and " + std::to_string(dropped - kMostNamed) + " more";
  if (dropped != 0)
    warnings.push_back("the plan has " + kind.str() +
                       " that fit nothing in the model any more: " + list);
}

void PlacementPlan::keepWhatFits(ModuleOp module, std::vector<std::string> &warnings) {
  ModelNames names(module);
  auto itself = [](const std::string &text) { return text; };
  std::string error;
  keep(
      asserts, "assertions", warnings,
      [&](const std::string &text) {
        auto relation = parseExtentRelation(text, module.getContext(), error);
        return failed(relation) || names.hasAll(relation->references);
      },
      itself);
  keep(
      values, "values", warnings,
      [&](const std::string &text) {
        auto read = parseExtentAssignment(text, module.getContext(), error);
        return failed(read) || (names.hasValue(read->name) && names.hasAll(read->references));
      },
      itself);
  // Entries that cannot be read, one of them or all together, are refused where flags are.
  if (ModelNames::canRead(pins, module))
    keep(
        pins, "pins", warnings,
        [&](const std::string &text) { return names.hasMatch(text, module); }, itself);
  keep(
      sides, "sides of values", warnings,
      [&](const auto &side) { return names.hasValue(side.first); },
      [](const auto &side) { return side.first; });
  keep(
      variants, "variants of nodes", warnings,
      [&](const auto &kept) { return names.hasNode(kept.first); },
      [](const auto &kept) { return kept.first; });
}
