// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shape/Assertions.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Shape/ShapeInference.h"
#include "Support/Diagnostic.h"
#include "Support/NearNames.h"
#include "Support/NodeLocation.h"
#include "Support/Unsupported.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

using Kind = ExtentReference::Kind;

namespace {

/// The attribute of the function that has them while somebody may ask.
constexpr StringLiteral kAssertions = "cameo.assertions";

/// A symbol times an integer, plus one.
struct Linear {
  StringRef symbol;
  int64_t scale = 0, offset = 0;
};

std::optional<Linear> getLinear(ExtentAttr extent) {
  Linear linear;
  for (const ExtentTerm &term : extent.getTerms()) {
    if (term.factors.empty()) {
      linear.offset = term.coefficient;
      continue;
    }
    if (linear.scale != 0 || term.factors.size() != 1 || !term.factors.front().isSymbol())
      return std::nullopt;
    linear.symbol = term.factors.front().getSymbolName();
    linear.scale = term.coefficient;
  }
  return linear.scale == 0 ? std::nullopt : std::optional(linear);
}

template <class Visit> void forEachSymbol(ExtentAttr extent, Visit visit) {
  llvm::SetVector<StringRef> used;
  extent.collectSymbols(used);
  llvm::for_each(used, visit);
}

bool names(ExtentAttr extent, StringRef symbol) {
  bool found = false;
  forEachSymbol(extent, [&](StringRef used) { found |= used == symbol; });
  return found;
}

/// Narrows a symbol of which `scale * symbol + offset` is in `values`.
LogicalResult restrictSymbol(const Linear &linear, ExtentRange values, ExtentFacts &facts) {
  auto divide = [&](std::optional<int64_t> limit, bool up) -> std::optional<int64_t> {
    int64_t difference;
    if (!limit || llvm::SubOverflow(*limit, linear.offset, difference) || difference == INT64_MIN)
      return std::nullopt;
    return up ? llvm::divideCeilSigned(difference, linear.scale)
              : llvm::divideFloorSigned(difference, linear.scale);
  };
  bool isNegative = linear.scale < 0;
  std::optional<int64_t> low = divide(isNegative ? values.hi() : values.lo(), /*up=*/true);
  std::optional<int64_t> high = divide(isNegative ? values.lo() : values.hi(), /*up=*/false);
  return facts.restrictRange(linear.symbol, low.value_or(INT64_MIN), high.value_or(INT64_MAX));
}

/// Makes a symbol of `left == right` equal to the rest, one for which `isPreferred` if there is
/// one. True where that was possible or is known.
bool solve(ExtentAttr left, ExtentAttr right, ExtentFacts &facts,
           llvm::function_ref<bool(StringRef)> isPreferred) {
  ExtentAttr difference = left - right;
  if (difference.isUnknown())
    return false;
  for (bool wantsPreferred : {true, false})
    for (const ExtentTerm &term : difference.getTerms()) {
      if (term.factors.size() != 1 || !term.factors.front().isSymbol() ||
          (term.coefficient != 1 && term.coefficient != -1))
        continue;
      ExtentAttr symbol = term.factors.front();
      ExtentAttr rest = term.coefficient == 1 ? symbol - difference : difference + symbol;
      if (names(rest, symbol.getSymbolName()) ||
          isPreferred(symbol.getSymbolName()) != wantsPreferred)
        continue;
      if (succeeded(facts.setEqual(symbol.getSymbolName(), rest)))
        return true;
    }
  return false;
}

/// The symbol of `extent`, and what it is where that is `value`: nothing where it is made of
/// several, or cannot be so much.
std::optional<std::pair<StringRef, int64_t>> solveFor(int64_t value, ExtentAttr extent) {
  std::optional<Linear> linear = getLinear(extent);
  int64_t difference;
  if (!linear || llvm::SubOverflow(value, linear->offset, difference) ||
      difference % linear->scale != 0)
    return std::nullopt;
  return std::pair(linear->symbol, difference / linear->scale);
}

/// `n mod 32 == 0`.
bool stateDivisor(ExtentAttr left, ExtentAttr right, ExtentFacts &facts) {
  if (left.getKind() != ExtentKind::Mod || !right.isConstant(0))
    return false;
  std::optional<int64_t> divisor = left.getOperands()[1].getConstant();
  if (!left.getOperands()[0].isSymbol() || !divisor || *divisor < 1)
    return false;
  facts.addDivisor(left.getOperands()[0].getSymbolName(), *divisor);
  return true;
}

bool provablyHolds(ExtentAttr left, ExtentAttr least, ExtentAttr most, const ExtentFacts &facts) {
  return (!least || provablyLessEqual(least, left, facts)) &&
         (!most || provablyLessEqual(left, most, facts));
}

bool cannotHold(ExtentAttr left, ExtentAttr least, ExtentAttr most, const ExtentFacts &facts) {
  return (least && provablyLess(left, least, facts)) || (most && provablyLess(most, left, facts)) ||
         (least && most && provablyLess(most, least, facts));
}

/// The least and the most that a symbol is.
struct Limit {
  ExtentAttr least, most;
};

/// The limit that a relation sets a symbol which stands on one of its sides, but for a summand, and
/// not on the other: `k + 1 < n`, `8 >= k`.
std::optional<Limit> isolate(const ExtentRelation &relation, StringRef symbol) {
  ExtentAttr element = ExtentAttr::symbol(relation.left.getContext(), symbol);
  auto getSummand = [&](ExtentAttr side) {
    ExtentAttr summand = side - element;
    return summand.isUnknown() || names(summand, symbol) ? ExtentAttr() : summand;
  };
  auto isFree = [&](ExtentAttr side) { return !side || !names(side, symbol); };
  auto without = [](ExtentAttr side, ExtentAttr summand) { return side ? side - summand : side; };
  if (!isFree(relation.left)) {
    ExtentAttr summand = getSummand(relation.left);
    if (!summand || !isFree(relation.least) || !isFree(relation.most))
      return std::nullopt;
    return Limit{without(relation.least, summand), without(relation.most, summand)};
  }
  // On the other side least and most change places.
  bool isBelow = !isFree(relation.least), isAbove = !isFree(relation.most);
  ExtentAttr summand = getSummand(isBelow ? relation.least : relation.most);
  bool isRange = relation.least && relation.most && relation.least != relation.most;
  if (!summand || isRange)
    return std::nullopt;
  ExtentAttr rest = relation.left - summand;
  return Limit{isAbove ? rest : ExtentAttr(), isBelow ? rest : ExtentAttr()};
}

/// The extents that the symbols of a relation stand for.
class Meanings {
public:
  void set(size_t number, ExtentAttr extent) {
    extents[ExtentRelation::getSymbol(number)] = extent;
  }
  /// Null stays null.
  ExtentAttr apply(ExtentAttr extent, const ExtentFacts &facts) const {
    if (!extent)
      return extent;
    return simplify(extent.substitute([&](StringRef name) { return extents.lookup(name); }), facts);
  }

private:
  llvm::StringMap<ExtentAttr> extents;
};

/// Makes facts of a relation as far as they can be said of single symbols: false where nothing can.
bool learn(ExtentAttr left, ExtentAttr least, ExtentAttr most, ExtentFacts &facts,
           llvm::function_ref<bool(StringRef)> isPreferred) {
  if (least == most && (stateDivisor(left, most, facts) || solve(left, most, facts, isPreferred)))
    return true;
  bool learned = false;
  auto restrict = [&](ExtentAttr difference, ExtentRange values) {
    std::optional<Linear> linear = getLinear(difference);
    learned |= linear && succeeded(restrictSymbol(*linear, values, facts));
  };
  if (most)
    restrict(left - most, ExtentRange(INT64_MIN, 0));
  if (least)
    restrict(left - least, ExtentRange(0, INT64_MAX));
  return learned;
}

} // namespace

Assertions::Assertions(func::FuncOp function, bool hasDevice)
    : function(function), hasDevice(hasDevice) {
  for (Type type : function.getArgumentTypes())
    if (auto tensor = dyn_cast<SymTensorType>(type))
      for (ExtentAttr extent : tensor.getExtents())
        extent.collectSymbols(dims);
}

Location Assertions::getLocation(const Assertion &assertion) const {
  return makeNodeLocation(function.getContext(), kAssertionOpType, assertion.text, {});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

LogicalResult Assertions::add(ArrayRef<std::string> relations, ArrayRef<std::string> values) {
  for (const std::string &text : relations)
    if (failed(addRelation(text)))
      return failure();
  for (const std::string &text : values)
    if (failed(addAssignment(text)))
      return failure();
  return success();
}

void Assertions::restart() {
  reached.clear();
  limits.clear();
  for (Assertion &assertion : assertions)
    if (!assertion.isOfDims)
      assertion.outcome = Outcome::NotReached;
}

LogicalResult Assertions::addRelation(StringRef text) {
  std::string error;
  FailureOr<ExtentRelation> relation = parseExtentRelation(text, function.getContext(), error);
  if (failed(relation))
    return emitUsage(function) << "--assert cannot be read: " << escapeText(error, 400);
  Assertion assertion;
  assertion.text = relation->text;
  assertion.relations.push_back(*relation);
  return checkNames("--assert", assertions.emplace_back(std::move(assertion)));
}

/// An assignment is an equality for each element.
LogicalResult Assertions::addAssignment(StringRef text) {
  std::string error;
  FailureOr<ExtentAssignment> read = parseExtentAssignment(text, function.getContext(), error);
  if (failed(read))
    return emitUsage(function) << "--value cannot be read: " << escapeText(error, 400);
  Assertion assertion;
  assertion.text = read->text;
  assertion.count = static_cast<int64_t>(read->elements.size());
  for (auto [number, element] : llvm::enumerate(read->elements)) {
    ExtentRelation relation{read->text, {}, element, element, {}, read->references};
    relation.left = ExtentAttr::symbol(function.getContext(),
                                       ExtentRelation::getSymbol(relation.references.size()));
    relation.references.push_back({read->name, Kind::Element, static_cast<int64_t>(number)});
    assertion.relations.push_back(std::move(relation));
  }
  if (assertion.relations.empty())
    return emitUsage(function) << "--value " << quoteText(text)
                               << " has no elements, of which there is nothing to say";
  return checkNames("--value", assertions.emplace_back(std::move(assertion)));
}

LogicalResult Assertions::checkNames(StringRef flag, Assertion &assertion) {
  SmallVector<StringRef> known = getOnnxNames(function);
  bool isOfDims = true;
  for (const ExtentRelation &relation : assertion.relations)
    for (const ExtentReference &reference : relation.references) {
      bool isValue = llvm::is_contained(known, reference.name);
      bool isPlainDim = reference.kind == Kind::Plain && dims.contains(reference.name);
      if (isPlainDim && isValue)
        return emitUsage(function)
               << flag << " " << quoteText(assertion.text) << ": " << quoteText(reference.name)
               << " is a dim and a value; " << quoteText(reference.name + "[0]")
               << " is the value's element";
      if (!isValue && !isPlainDim)
        return refuseName(flag, assertion.text, reference.name);
      isOfDims &= static_cast<bool>(getDim(reference));
      if (isValue)
        named.insert(reference.name);
    }
  assertion.isOfDims = isOfDims;
  return success();
}

LogicalResult Assertions::refuseName(StringRef flag, StringRef text, StringRef name) {
  SmallVector<StringRef> known = getOnnxNames(function);
  llvm::append_range(known, dims);
  InFlightDiagnostic error = emitUsage(function);
  error << flag << " " << quoteText(text) << ": the model has no value and no dim "
        << quoteText(name);
  if (std::string near = listNear(name, known); !near.empty())
    error.attachNote() << "did you mean " << near << "?";
  return error;
}

//===----------------------------------------------------------------------===//
// Dims of inputs
//===----------------------------------------------------------------------===//

ExtentAttr Assertions::getDim(const ExtentReference &reference) const {
  if (reference.kind == Kind::Element)
    return {};
  if (reference.kind == Kind::Plain)
    return dims.contains(reference.name) ? ExtentAttr::symbol(function.getContext(), reference.name)
                                         : ExtentAttr();
  for (BlockArgument argument : function.getArguments()) {
    auto tensor = dyn_cast<SymTensorType>(argument.getType());
    if (tensor && getOnnxName(argument) == reference.name && reference.index < tensor.getRank())
      return tensor.getExtents()[reference.index];
  }
  return {};
}

LogicalResult Assertions::stateDims(ExtentFacts &facts) {
  for (Assertion &assertion : assertions) {
    if (!assertion.isOfDims)
      continue;
    const ExtentRelation &relation = assertion.relations.front();
    Meanings meanings;
    for (auto [number, reference] : llvm::enumerate(relation.references))
      meanings.set(number, getDim(reference));
    if (relation.likely) {
      if (failed(expect(assertion, meanings.apply(relation.left, facts), facts,
                        [&](StringRef dim, int64_t value) { facts.setLikely(dim, value); })))
        return failure();
      continue;
    }
    Known known{meanings.apply(relation.left, facts), meanings.apply(relation.least, facts),
                meanings.apply(relation.most, facts)};
    if (provablyHolds(known.left, known.least, known.most, facts)) {
      assertion.outcome = Outcome::Follows;
      continue;
    }
    assertion.outcome = Outcome::Inputs;
    bool isLearned =
        !cannotHold(known.left, known.least, known.most, facts) &&
        learn(known.left, known.least, known.most, facts, [](StringRef) { return true; });
    if (!isLearned && cannotHold(known.left, known.least, known.most, facts))
      return contradict(assertion, function, known, facts);
  }
  // A dim that others decide is no symbol any more.
  for (BlockArgument argument : function.getArguments())
    if (auto tensor = dyn_cast<SymTensorType>(argument.getType()); tensor && tensor.hasRank()) {
      auto extents = llvm::map_to_vector(tensor.getExtents(),
                                         [&](ExtentAttr extent) { return facts.resolve(extent); });
      argument.setType(tensor.withExtents(extents));
    }
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().getArgumentTypes(), function.getResultTypes()));
  return success();
}

LogicalResult Assertions::expect(Assertion &assertion, ExtentAttr extent, const ExtentFacts &facts,
                                 llvm::function_ref<void(StringRef, int64_t)> tell) {
  int64_t value = *assertion.relations.front().likely;
  if (range(extent, facts).isDisjointFrom({value, value})) {
    ExtentAttr wanted = ExtentAttr::constant(extent.getContext(), value);
    return contradict(assertion, function, {extent, wanted, wanted}, facts);
  }
  if (extent.isConstant()) {
    conclude(assertion, Outcome::Follows);
    return success();
  }
  auto solution = solveFor(value, extent);
  if (solution)
    tell(solution->first, solution->second);
  conclude(assertion, solution ? Outcome::Expected : Outcome::NotChecked,
           solution ? "" : "it follows from several values: say it of each");
  return success();
}

LogicalResult Assertions::checkDims(ShapeInference &stage) {
  Block &block = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (Assertion &assertion : assertions) {
    if (!assertion.isOfDims || assertion.relations.front().likely)
      continue;
    FailureOr<std::optional<Known>> known =
        substitute(assertion, assertion.relations.front(), stage);
    if (failed(known))
      return failure();
    if (provablyHolds((*known)->left, (*known)->least, (*known)->most, stage.getFacts()))
      continue;
    check(assertion, **known, builder);
    conclude(assertion, Outcome::Checked);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Names to extents
//===----------------------------------------------------------------------===//

bool Assertions::isReached(const ExtentRelation &relation, Value value) const {
  Operation *here = value.getDefiningOp();
  Block *block = value.getParentBlock();
  return llvm::all_of(relation.references, [&](const ExtentReference &reference) {
    if (getDim(reference))
      return true;
    Value other = reached.lookup(reference.name);
    if (!other)
      return false;
    if (other.getParentBlock() == block)
      return true;
    return here ? other.getParentBlock()->findAncestorOpInBlock(*here) != nullptr
                : other.getParentRegion()->isAncestor(block->getParent());
  });
}

FailureOr<ExtentAttr> Assertions::resolve(const Assertion &assertion,
                                          const ExtentReference &reference,
                                          ShapeInference &stage) const {
  if (ExtentAttr dim = getDim(reference))
    return dim;
  Value value = reached.lookup(reference.name);
  auto tensor = dyn_cast<SymTensorType>(value.getType());
  auto refuse = [&]() -> InFlightDiagnostic {
    InFlightDiagnostic error = emitUsage(function);
    error << "assertion " << quoteText(assertion.text) << ": " << quoteText(reference.name) << " ";
    return error;
  };
  if (!tensor)
    return refuse() << "is no tensor", failure();
  ExtentAttr unknown = ExtentAttr::unknown(function.getContext());
  if (!tensor.hasRank())
    return unknown;
  if (reference.kind == Kind::Extent) {
    if (reference.index >= tensor.getRank())
      return refuse() << "has rank " << tensor.getRank() << ", and no extent " << reference.index,
             failure();
    return tensor.getExtents()[reference.index];
  }
  if (!tensor.getElementType().isIntOrIndex())
    return refuse() << "has no integers (got " << tensor.getElementType() << ")", failure();
  std::optional<int64_t> count = getTrackableElements(value);
  if (!count)
    return refuse() << "is not known to have at most " << kMaxKnownElements << " elements (got "
                    << tensor.getNumElements().str() << ")",
           failure();
  if (reference.index >= *count || (reference.kind == Kind::Plain && *count != 1))
    return refuse() << "has " << *count << " elements, and "
                    << (reference.kind == Kind::Plain ? "not one" : "none ")
                    << (reference.kind == Kind::Plain ? "" : std::to_string(reference.index)),
           failure();
  std::optional<ExtentValues> elements = stage.getKnownValues().lookup(value);
  return elements ? (*elements)[reference.index] : unknown;
}

/// Nothing where an element is not known.
FailureOr<std::optional<Assertions::Known>> Assertions::substitute(const Assertion &assertion,
                                                                   const ExtentRelation &relation,
                                                                   ShapeInference &stage) const {
  Meanings meanings;
  for (auto [number, reference] : llvm::enumerate(relation.references)) {
    FailureOr<ExtentAttr> extent = resolve(assertion, reference, stage);
    if (failed(extent))
      return failure();
    if (extent->isUnknown())
      return std::optional<Known>();
    meanings.set(number, *extent);
  }
  const ExtentFacts &facts = stage.getFacts();
  return std::optional(Known{meanings.apply(relation.left, facts),
                             meanings.apply(relation.least, facts),
                             meanings.apply(relation.most, facts)});
}

FailureOr<std::optional<Assertions::Subject>>
Assertions::findSubject(const Assertion &assertion, const ExtentRelation &relation,
                        ShapeInference &stage) const {
  if (relation.likely)
    return std::optional<Subject>();
  std::optional<size_t> open;
  Meanings meanings;
  for (auto [number, reference] : llvm::enumerate(relation.references)) {
    FailureOr<ExtentAttr> extent = resolve(assertion, reference, stage);
    if (failed(extent))
      return failure();
    if (!extent->isUnknown()) {
      meanings.set(number, *extent);
      continue;
    }
    if (open || reference.kind == Kind::Extent)
      return std::optional<Subject>();
    open = number;
  }
  if (!open)
    return std::optional<Subject>();
  std::optional<Limit> limit = isolate(relation, ExtentRelation::getSymbol(*open));
  if (!limit)
    return std::optional<Subject>();
  const ExtentReference &reference = relation.references[*open];
  return std::optional(Subject{reached.lookup(reference.name), reference.index,
                               meanings.apply(limit->least, stage.getFacts()),
                               meanings.apply(limit->most, stage.getFacts())});
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult Assertions::stateElements(Value value, ShapeInference &stage) {
  taken.clear();
  StringRef name = getOnnxName(value);
  if (!named.contains(name))
    return success();
  reached[name] = value;
  for (Assertion &assertion : assertions) {
    Limits said;
    for (const ExtentRelation &relation : assertion.relations) {
      bool isNamed = llvm::any_of(relation.references, [&](const ExtentReference &reference) {
        return reference.name == name;
      });
      if (!isNamed || assertion.isOfDims || !isReached(relation, value))
        continue;
      if (failed(checkCount(assertion, value, stage)))
        return failure();
      FailureOr<std::optional<Subject>> subject = findSubject(assertion, relation, stage);
      if (failed(subject))
        return failure();
      if (!*subject)
        continue;
      taken.insert(&relation);
      if (failed(take(assertion, **subject, value, said, stage)))
        return failure();
    }
    if (said.least.empty())
      continue;
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(value);
    AssertOp::create(builder, getLocation(assertion), value, builder.getArrayAttr(said.least),
                     builder.getArrayAttr(said.most));
    conclude(assertion, Outcome::Checked);
  }
  return success();
}

LogicalResult Assertions::checkCount(Assertion &assertion, Value value, ShapeInference &stage) {
  if (!assertion.count ||
      getTrackableElements(value).value_or(*assertion.count) == *assertion.count)
    return success();
  return emitRefusal(function) << "assertion " << quoteText(assertion.text) << " has "
                               << *assertion.count << " elements, but the value has "
                               << cast<SymTensorType>(value.getType()).getNumElements().str();
}

/// Whether the device counts what `extent` is made of.
static bool isCounted(ExtentAttr extent, const ShapeInference &stage) {
  bool found = extent && stage.isOnDevice(extent);
  if (extent)
    forEachSymbol(extent, [&](StringRef symbol) {
      Operation *definer = stage.getDefiner(symbol);
      found |= isa_and_nonnull<OnnxOp>(definer) && definer->getNumRegions() == 0;
    });
  return found;
}

LogicalResult Assertions::take(Assertion &assertion, const Subject &subject, Value value,
                               Limits &said, ShapeInference &stage) {
  ExtentAttr unknown = ExtentAttr::unknown(function.getContext());
  if (subject.value != value) {
    conclude(assertion, Outcome::NotChecked,
             "what it says of an element is known behind the element only");
    return success();
  }
  if (hasDevice && (isCounted(subject.least, stage) || isCounted(subject.most, stage))) {
    conclude(assertion, Outcome::NotChecked, "the device counts an extent that it names");
    return success();
  }
  std::optional<int64_t> tracked = getTrackableElements(value);
  if (!tracked) {
    conclude(assertion, Outcome::NotChecked, "the rank of the value is not known there");
    return success();
  }
  auto count = static_cast<size_t>(*tracked);
  auto element = static_cast<size_t>(subject.element);
  ExtentRange type = getIntegerRange(elementTypeOf(value));
  ExtentRange least = subject.least ? range(subject.least, stage.getFacts()) : ExtentRange();
  ExtentRange most = subject.most ? range(subject.most, stage.getFacts()) : ExtentRange();
  if (ExtentRange(least.lo(), std::nullopt).isDisjointFrom(type) ||
      ExtentRange(std::nullopt, most.hi()).isDisjointFrom(type))
    return emitRefusal(function) << "assertion " << quoteText(assertion.text)
                                 << " is beyond the element type " << elementTypeOf(value);
  said.least.resize(count, unknown);
  said.most.resize(count, unknown);
  said.least[element] = subject.least ? subject.least : unknown;
  said.most[element] = subject.most ? subject.most : unknown;
  Limits &all = limits[value];
  all.least.resize(count, unknown);
  all.most.resize(count, unknown);
  if (subject.least)
    all.least[element] = subject.least;
  if (subject.most)
    all.most[element] = subject.most;
  auto allLeast = cast<ExtentAttr>(all.least[element]),
       allMost = cast<ExtentAttr>(all.most[element]);
  if (!allLeast.isUnknown() && !allMost.isUnknown() &&
      provablyLess(allMost, allLeast, stage.getFacts()))
    return emitRefusal(function) << "assertion " << quoteText(assertion.text)
                                 << " leaves no value (got at least " << escapeText(allLeast.str())
                                 << ", and at most " << escapeText(allMost.str()) << ")";
  if (subject.least && subject.least == subject.most) {
    ExtentValues elements =
        stage.getKnownValues().lookup(value).value_or(ExtentValues(count, unknown));
    elements[element] = subject.most;
    stage.getKnownValues().set(value, elements);
  }
  return success();
}

ExtentRange Assertions::getRange(Value value, int64_t element, const ExtentFacts &facts) const {
  auto found = limits.find(value);
  if (found == limits.end())
    return {};
  auto least = cast<ExtentAttr>(found->second.least[element]);
  auto most = cast<ExtentAttr>(found->second.most[element]);
  return {range(least, facts).lo().value_or(INT64_MIN),
          range(most, facts).hi().value_or(INT64_MAX)};
}

ExtentAttr Assertions::getMost(Value value) const {
  auto found = limits.find(value);
  if (found == limits.end() || found->second.most.size() != 1)
    return {};
  auto most = cast<ExtentAttr>(found->second.most.front());
  return most.isUnknown() ? ExtentAttr() : most;
}

void Assertions::forget(Value value) {
  limits.erase(value);
  if (auto found = reached.find(getOnnxName(value));
      found != reached.end() && found->second == value)
    reached.erase(found);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

LogicalResult Assertions::stateRelations(Value value, ShapeInference &stage) {
  StringRef name = getOnnxName(value);
  if (!named.contains(name))
    return success();
  for (Assertion &assertion : assertions)
    for (const ExtentRelation &relation : assertion.relations) {
      bool isNamed = llvm::any_of(relation.references, [&](const ExtentReference &reference) {
        return reference.name == name;
      });
      if (!isNamed || assertion.isOfDims || taken.contains(&relation) ||
          !isReached(relation, value))
        continue;
      FailureOr<std::optional<Known>> known = substitute(assertion, relation, stage);
      if (failed(known))
        return failure();
      if (!*known)
        conclude(assertion, Outcome::NotChecked,
                 "an element that it names is not the host's, and not alone on a side");
      else if (failed(hold(assertion, **known, value, stage)))
        return failure();
    }
  return success();
}

LogicalResult Assertions::hold(Assertion &assertion, const Known &relation, Value value,
                               ShapeInference &stage) {
  auto [left, least, most] = relation;
  ExtentFacts &facts = stage.getFacts();
  if (assertion.relations.front().likely)
    return expect(assertion, left, facts,
                  [&](StringRef symbol, int64_t likely) { stage.setLikely(symbol, likely); });
  if (left.isUnknown() || (least && least.isUnknown()) || (most && most.isUnknown())) {
    conclude(assertion, Outcome::NotChecked, "what it compares does not fit the algebra");
    return success();
  }
  if (provablyHolds(left, least, most, facts)) {
    conclude(assertion, Outcome::Follows);
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (cannotHold(left, least, most, facts))
    return stage.isTentative()
               ? success()
               : contradict(assertion, op ? op : function.getOperation(), relation, facts);
  if (hasDevice && llvm::any_of(ArrayRef{left, least, most},
                                [&](ExtentAttr extent) { return isCounted(extent, stage); })) {
    conclude(assertion, Outcome::NotChecked, "the device counts an extent that it names");
    return success();
  }
  // Behind what gives the value's elements their symbols.
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(value);
  while (isa<AssertOp, BindElementsOp, CheckOp>(*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  check(assertion, relation, builder);
  conclude(assertion, Outcome::Checked);
  // A fact is one for all that follows, which what stands in a branch is not.
  if (value.getParentRegion() == &function.getBody())
    learn(left, least, most, facts,
          [&](StringRef symbol) { return stage.getDefiner(symbol) != nullptr; });
  return success();
}

void Assertions::check(const Assertion &assertion, const Known &relation,
                       OpBuilder &builder) const {
  auto hold = [&](StringRef sign, ExtentAttr limit) {
    if (limit)
      CheckOp::create(builder, getLocation(assertion), sign, relation.left, limit, "assertion",
                      assertion.text);
  };
  if (relation.least == relation.most)
    return hold("eq", relation.most);
  hold("ge", relation.least);
  hold("le", relation.most);
}

LogicalResult Assertions::contradict(const Assertion &assertion, Operation *op,
                                     const Known &relation, const ExtentFacts &facts) const {
  InFlightDiagnostic error = emitRefusal(op);
  error << "contradicts the assertion " << quoteText(assertion.text) << " (got "
        << escapeText(relation.left.str());
  ExtentRange values = range(relation.left, facts);
  if (!relation.left.isConstant() && values.lo() && values.hi())
    error << ", which is in " << *values.lo() << ".." << *values.hi();
  error << ", need ";
  if (relation.least == relation.most)
    error << escapeText(relation.most.str());
  else if (!relation.least)
    error << "at most " << escapeText(relation.most.str());
  else if (!relation.most)
    error << "at least " << escapeText(relation.least.str());
  else
    error << escapeText(relation.least.str()) << ".." << escapeText(relation.most.str());
  return error << ")";
}

//===----------------------------------------------------------------------===//
// What became of them
//===----------------------------------------------------------------------===//

/// The weakest of what was found for its parts; a later walk knows better than an earlier one.
void Assertions::conclude(Assertion &assertion, Outcome outcome, StringRef why) {
  bool isFirst = assertion.outcome == Outcome::NotReached;
  if (!isFirst && outcome < assertion.outcome)
    return;
  assertion.outcome = outcome;
  assertion.why = why.str();
}

void Assertions::record() const {
  if (assertions.empty())
    return;
  Builder builder(function.getContext());
  SmallVector<Attribute> records;
  for (const Assertion &assertion : assertions) {
    StringRef state = assertion.outcome == Outcome::Follows    ? "follows from the model"
                      : assertion.outcome == Outcome::Inputs   ? "held against the inputs' dims"
                      : assertion.outcome == Outcome::Expected ? "expected, for costs only"
                      : assertion.outcome == Outcome::Checked  ? "checked"
                                                               : "not checked";
    StringRef why = assertion.outcome == Outcome::NotReached
                        ? "what it names is gone, or never known at one place"
                        : StringRef(assertion.why);
    std::string text = why.empty() ? state.str() : (state + ": " + why).str();
    records.push_back(builder.getStrArrayAttr({StringRef(assertion.text), StringRef(text)}));
  }
  function->setAttr(kAssertions, builder.getArrayAttr(records));
}

SmallVector<std::pair<StringRef, StringRef>> Assertions::getRecords(Operation *function) {
  SmallVector<std::pair<StringRef, StringRef>> records;
  if (auto recorded = function->getAttrOfType<ArrayAttr>(kAssertions))
    for (auto record : recorded.getAsRange<ArrayAttr>())
      records.emplace_back(cast<StringAttr>(record[0]), cast<StringAttr>(record[1]));
  return records;
}
