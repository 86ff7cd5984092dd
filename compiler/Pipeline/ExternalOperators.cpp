// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is refused with the place at fault, or it is a declaration that the importer and the onnx
// dialect can take for granted.

#include "Pipeline/ExternalOperators.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/ExtentRelation.h"
#include "Emit/CppNames.h"
#include "Support/ElementTypes.h"
#include "Support/InputFile.h"
#include "Support/JsonLimits.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <map>
#include <set>

using namespace cameo;
using namespace cameo::core;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

namespace {

constexpr int64_t kMaxFileBytes = 1 << 20;
constexpr unsigned kMaxDepth = 16;
constexpr size_t kMaxItems = 4096, kMaxTextBytes = 256;
constexpr int64_t kMaxVersion = INT32_MAX, kMaxRank = 64;

/// The first thing that is wrong, and where.
struct Fault {
  std::string text;

  bool report(const Twine &place, const Twine &problem) {
    if (text.empty())
      text = (place + ": " + problem).str();
    return false;
  }
};

/// A name that relations can say and C can have.
bool isWord(StringRef text) {
  return !text.empty() && text.size() <= 64 && (llvm::isAlpha(text[0]) || text[0] == '_') &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

using Item = llvm::function_ref<bool(const json::Value &, const std::string &)>;

/// An object whose members are read by name. Each returns whether nothing is wrong so far; a member
/// that is not there leaves what it is read into.
class Members {
public:
  Members(const json::Value &value, std::string place, Fault &fault)
      : object(value.getAsObject()), place(std::move(place)), fault(fault) {
    if (!object)
      fault.report(this->place, "is no object");
  }

  bool has(StringRef name) const { return object && object->get(name); }
  const std::string &getPlace() const { return place; }
  bool fail(StringRef name, const Twine &problem) {
    return fault.report(place + "." + name, problem);
  }

  bool text(StringRef name, std::string &into, bool isNeeded) {
    const json::Value *value = take(name, isNeeded);
    if (!value)
      return isFine();
    std::optional<StringRef> string = value->getAsString();
    if (!string || string->size() > kMaxTextBytes)
      return fail(name, "is no text of at most " + Twine(kMaxTextBytes) + " bytes");
    into = string->str();
    return isFine();
  }
  bool word(StringRef name, std::string &into) {
    return text(name, into, /*isNeeded=*/true) &&
           (isWord(into) || fail(name, "is no name of letters, digits and underscores (got " +
                                           quoteText(into) + ")"));
  }
  bool integer(StringRef name, int64_t &into, int64_t least, int64_t most) {
    const json::Value *value = take(name, /*isNeeded=*/false);
    if (!value)
      return isFine();
    std::optional<int64_t> number = value->getAsInteger();
    if (!number || *number < least || *number > most)
      return fail(name, "is no integer from " + Twine(least) + " to " + Twine(most));
    into = *number;
    return isFine();
  }
  bool flag(StringRef name, bool &into) {
    const json::Value *value = take(name, /*isNeeded=*/false);
    if (!value)
      return isFine();
    std::optional<bool> truth = value->getAsBoolean();
    if (!truth)
      return fail(name, "is neither true nor false");
    into = *truth;
    return isFine();
  }
  bool list(StringRef name, bool isNeeded, Item read) {
    const json::Value *value = take(name, isNeeded);
    return value ? readList(*value, place + "." + name.str(), fault, read) : isFine();
  }
  const json::Value *take(StringRef name, bool isNeeded) {
    if (!object)
      return nullptr;
    known.insert(name.str());
    const json::Value *value = object->get(name);
    if (!value && isNeeded)
      fail(name, "is missing");
    return value;
  }
  /// Whether all was well, and nothing is there that nobody has read.
  bool finish() {
    if (!object)
      return false;
    std::set<std::string> unknown;
    for (const auto &member : *object)
      if (!known.count(StringRef(member.first).str()))
        unknown.insert(StringRef(member.first).str());
    if (!unknown.empty())
      fault.report(place, "has a member " + quoteText(*unknown.begin()) +
                              ", which declarations do not have");
    return isFine();
  }

  static bool readList(const json::Value &value, const std::string &place, Fault &fault,
                       Item read) {
    const json::Array *list = value.getAsArray();
    if (!list || list->size() > kMaxItems)
      return fault.report(place, "is no list of at most " + Twine(kMaxItems) + " items");
    for (auto [number, item] : llvm::enumerate(*list))
      if (!read(item, place + "[" + std::to_string(number) + "]"))
        return false;
    return fault.text.empty();
  }

private:
  bool isFine() const { return fault.text.empty(); }

  const json::Object *object;
  std::string place;
  Fault &fault;
  std::set<std::string> known;
};

//===----------------------------------------------------------------------===//
// An operator
//===----------------------------------------------------------------------===//

class OperatorReader {
public:
  OperatorReader(const json::Value &value, const std::string &place, mlir::MLIRContext *context,
                 Fault &fault)
      : members(value, place, fault), context(context), fault(fault) {}

  bool read(ExternalOperator &op);

private:
  bool readFunction(ExternalOperator &op);
  bool readTypes();
  bool readElement(const json::Value &value, const std::string &place, int32_t &element);
  bool readTensor(const json::Value &value, const std::string &place, bool isResult,
                  ExternalOperator::Tensor &tensor);
  bool readTensors(ExternalOperator &op);
  bool readAttribute(const json::Value &value, const std::string &place,
                     ExternalOperator::Attribute &attribute);
  bool readValue(const json::Value &value, const std::string &place, ExternalOperator::Value &into);
  bool readRelation(const json::Value &value, const std::string &place, ExternalOperator &op);
  bool readShape(StringRef left, StringRef right, const std::string &place, ExternalOperator &op);
  bool checkReference(const ExtentReference &reference, const std::string &place, bool isLeft,
                      const ExternalOperator &op);
  bool checkResults(const ExternalOperator &op);

  Members members;
  mlir::MLIRContext *context;
  Fault &fault;
  std::map<std::string, std::vector<int32_t>> variables;
  /// The names of operands, results and attributes.
  std::set<std::string> names;
  /// The extents of results of which something is said.
  std::set<std::pair<std::string, int64_t>> said;
};

const ExternalOperator::Tensor *findTensor(ArrayRef<ExternalOperator::Tensor> tensors,
                                           StringRef name) {
  const auto *found = llvm::find_if(tensors, [&](const auto &known) { return known.name == name; });
  return found == tensors.end() ? nullptr : found;
}

bool OperatorReader::read(ExternalOperator &op) {
  std::string side = "host";
  if (!members.text("domain", op.domain, /*isNeeded=*/true) ||
      !members.text("name", op.name, /*isNeeded=*/true) ||
      !members.integer("version", op.version, 1, kMaxVersion) || !readFunction(op) ||
      !members.text("side", side, /*isNeeded=*/true) || !members.flag("pure", op.isPure))
    return false;
  if (op.name.empty())
    return members.fail("name", "is empty");
  if (op.domain == "ai.onnx")
    op.domain.clear();
  if (side != "host" && side != "device")
    return members.fail("side", "is neither host nor device (got " + quoteText(side) + ")");
  op.isOnDevice = side == "device";
  if (!readTypes() || !readTensors(op))
    return false;
  auto readOne = [&](const json::Value &value, const std::string &place) {
    return readAttribute(value, place, op.attributes.emplace_back());
  };
  auto relate = [&](const json::Value &value, const std::string &place) {
    return readRelation(value, place, op);
  };
  return members.list("attributes", /*isNeeded=*/false, readOne) &&
         members.list("extents", /*isNeeded=*/false, relate) && members.finish() &&
         checkResults(op);
}

bool OperatorReader::readFunction(ExternalOperator &op) {
  op.function = op.name;
  if (!members.text("function", op.function, /*isNeeded=*/false))
    return false;
  return (isLibraryName(op.function) && !StringRef(op.function).starts_with("cameo")) ||
         members.fail("function",
                      "can be no function of C (got " + quoteText(op.function) +
                          "): letters, digits and single underscores, no reserved word, not "
                          "cameo...; without it, 'name' is the function's");
}

bool OperatorReader::readElement(const json::Value &value, const std::string &place,
                                 int32_t &element) {
  StringRef name = value.getAsString().value_or("");
  for (const ElementInfo &known : getElementInfos())
    if (known.name == name) {
      element = known.number;
      return (!known.isPacked() && !known.isString()) ||
             fault.report(place, quoteText(name) + " is no type of whole bytes, and so none that "
                                                   "functions are given");
    }
  return fault.report(place,
                      "is no element type (got " + quoteText(name) + ", need one like float32)");
}

/// `"types": {"T": ["float32", "float64"]}`.
bool OperatorReader::readTypes() {
  const json::Value *value = members.take("types", /*isNeeded=*/false);
  const std::string place = members.getPlace() + ".types";
  if (!value)
    return fault.text.empty();
  const json::Object *types = value->getAsObject();
  if (!types)
    return fault.report(place, "is no object");
  // In an order that does not depend on hashes.
  std::map<std::string, const json::Value *> sorted;
  for (const auto &member : *types)
    sorted[StringRef(member.first).str()] = &member.second;
  for (const auto &[name, list] : sorted) {
    std::vector<int32_t> &elements = variables[name];
    std::string inside = place + "." + escapeText(name);
    if (!isWord(name))
      return fault.report(inside, "is no name of letters, digits and underscores");
    if (!Members::readList(*list, inside, fault,
                           [&](const json::Value &item, const std::string &where) {
                             return readElement(item, where, elements.emplace_back());
                           }))
      return false;
    if (elements.empty())
      return fault.report(inside, "has no element type");
  }
  return true;
}

bool OperatorReader::readTensor(const json::Value &value, const std::string &place, bool isResult,
                                ExternalOperator::Tensor &tensor) {
  Members tensorMembers(value, place, fault);
  std::string type;
  if (!tensorMembers.word("name", tensor.name) ||
      !tensorMembers.text("type", type, /*isNeeded=*/true) ||
      !tensorMembers.integer("rank", tensor.rank, 0, kMaxRank) ||
      (!isResult && !tensorMembers.flag("optional", tensor.isOptional)) || !tensorMembers.finish())
    return false;
  if (!names.insert(tensor.name).second)
    return fault.report(place, "has the name " + quoteText(tensor.name) + ", which is taken");
  if (auto found = variables.find(type); found != variables.end()) {
    tensor.variable = type;
    tensor.elements = found->second;
    return true;
  }
  return readElement(json::Value(type), place + ".type", tensor.elements.emplace_back());
}

bool OperatorReader::readTensors(ExternalOperator &op) {
  auto readAll = [&](StringRef name, bool isResult,
                     std::vector<ExternalOperator::Tensor> &tensors) {
    return members.list(name, /*isNeeded=*/true,
                        [&](const json::Value &value, const std::string &place) {
                          return readTensor(value, place, isResult, tensors.emplace_back());
                        }) &&
           (!tensors.empty() || members.fail(name, "is empty"));
  };
  return readAll("operands", /*isResult=*/false, op.operands) &&
         readAll("results", /*isResult=*/true, op.results);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Reads a default into the type that `into` has.
bool OperatorReader::readValue(const json::Value &value, const std::string &place,
                               ExternalOperator::Value &into) {
  auto readOne = [&](const json::Value &item, const std::string &where, auto &one) {
    using T = std::decay_t<decltype(one)>;
    if constexpr (std::is_same_v<T, int64_t>) {
      std::optional<int64_t> number = item.getAsInteger();
      one = number.value_or(0);
      return number || fault.report(where, "is no integer of 64 bits");
    } else if constexpr (std::is_same_v<T, float>) {
      std::optional<double> number = item.getAsNumber();
      one = static_cast<float>(number.value_or(0));
      return (number && std::isfinite(one)) || fault.report(where, "is no number of 32 bits");
    } else {
      std::optional<StringRef> text = item.getAsString();
      one = text.value_or("").str();
      return text || fault.report(where, "is no text");
    }
  };
  return std::visit(
      [&](auto &typed) {
        using T = std::decay_t<decltype(typed)>;
        if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, float> ||
                      std::is_same_v<T, std::string>)
          return readOne(value, place, typed);
        else
          return Members::readList(value, place, fault,
                                   [&](const json::Value &item, const std::string &where) {
                                     return readOne(item, where, typed.emplace_back());
                                   });
      },
      into);
}

bool OperatorReader::readAttribute(const json::Value &value, const std::string &place,
                                   ExternalOperator::Attribute &attribute) {
  using Value = ExternalOperator::Value;
  static const std::map<std::string, Value> kTypes = {
      {"float", float()},        {"floats", std::vector<float>()},
      {"int", int64_t()},        {"ints", std::vector<int64_t>()},
      {"string", std::string()}, {"strings", std::vector<std::string>()},
  };
  Members attributeMembers(value, place, fault);
  std::string type;
  if (!attributeMembers.text("name", attribute.name, /*isNeeded=*/true) ||
      !attributeMembers.text("type", type, /*isNeeded=*/true))
    return false;
  auto found = kTypes.find(type);
  if (found == kTypes.end())
    return attributeMembers.fail("type",
                                 "is none of float, floats, int, ints, string, strings (got " +
                                     quoteText(type) + ")");
  attribute.value = found->second;
  const json::Value *given = attributeMembers.take("default", /*isNeeded=*/false);
  attribute.hasDefault = given != nullptr;
  if (given && !readValue(*given, place + ".default", attribute.value))
    return false;
  if (!attributeMembers.finish())
    return false;
  return names.insert("attribute " + attribute.name).second ||
         fault.report(place, "has the name " + quoteText(attribute.name) + ", which is taken");
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// `y.shape == x.shape`.
bool OperatorReader::readShape(StringRef left, StringRef right, const std::string &place,
                               ExternalOperator &op) {
  auto *result = const_cast<ExternalOperator::Tensor *>(findTensor(op.results, left));
  const ExternalOperator::Tensor *operand = findTensor(op.operands, right);
  if (!result || !operand || operand->isOptional)
    return fault.report(place, "is not of a result and an operand that is not optional");
  if (result->shapeOf >= 0 || result->rank >= 0)
    return fault.report(place, "says the shape of " + quoteText(left) + " again");
  result->shapeOf = operand - op.operands.data();
  return true;
}

bool OperatorReader::checkReference(const ExtentReference &reference, const std::string &place,
                                    bool isLeft, const ExternalOperator &op) {
  const ExternalOperator::Tensor *result = findTensor(op.results, reference.name);
  const ExternalOperator::Tensor *operand = findTensor(op.operands, reference.name);
  const ExternalOperator::Tensor *tensor = isLeft && result ? result : operand;
  if (reference.kind != ExtentReference::Kind::Extent || !tensor || tensor->isOptional)
    return fault.report(place, "names " + quoteText(reference.name) +
                                   ", where extents of operands that are not optional belong, as "
                                   "in y.shape[0] == x.shape[0]");
  if (tensor->rank >= 0 && reference.index >= tensor->rank)
    return fault.report(place, "names axis " + Twine(reference.index) + " of " +
                                   quoteText(reference.name) + ", which has rank " +
                                   Twine(tensor->rank));
  if (tensor != result)
    return true;
  if (result->rank < 0)
    return fault.report(place, "is of " + quoteText(reference.name) + ", whose rank is not said");
  return said.emplace(reference.name, reference.index).second ||
         fault.report(place, "says an extent of " + quoteText(reference.name) + " again");
}

bool OperatorReader::readRelation(const json::Value &value, const std::string &place,
                                  ExternalOperator &op) {
  StringRef text = value.getAsString().value_or("");
  auto [left, right] = text.split("==");
  left = left.trim();
  right = right.trim();
  if (left.consume_back(".shape") && right.consume_back(".shape"))
    return readShape(left, right, place, op);
  std::string error = "a text is needed";
  llvm::FailureOr<ExtentRelation> relation = mlir::failure();
  if (text.size() <= kMaxTextBytes)
    relation = parseExtentRelation(text, context, error);
  if (failed(relation))
    return fault.report(place, "is no relation of extents: " + escapeText(error, 400));
  bool isOfResult = relation->left.isSymbol() && !relation->references.empty() &&
                    findTensor(op.results, relation->references.front().name);
  llvm::SetVector<StringRef> onRight;
  if (relation->most)
    relation->most.collectSymbols(onRight);
  for (auto [number, reference] : llvm::enumerate(relation->references)) {
    std::string symbol = ExtentRelation::getSymbol(number);
    bool isLeft =
        isOfResult && relation->left.getSymbolName() == symbol && !onRight.contains(symbol);
    if (!checkReference(reference, place, isLeft, op))
      return false;
  }
  bool isLimit = isOfResult && relation->most && !relation->least;
  if (relation->likely || !(relation->most && (relation->isEquality() || isLimit)))
    return fault.report(place, "says neither what an extent of a result is (==) nor the most that "
                               "it is (<=), nor that extents of operands are equal");
  op.relations.push_back(text.str());
  return true;
}

/// Whether ranks and types of results follow from something.
bool OperatorReader::checkResults(const ExternalOperator &op) {
  for (auto [number, result] : llvm::enumerate(op.results)) {
    std::string place = members.getPlace() + ".results[" + std::to_string(number) + "]";
    if (result.rank < 0 && result.shapeOf < 0)
      return fault.report(place, "needs a rank, or an extent like " + result.name +
                                     ".shape == " + op.operands.front().name + ".shape");
    bool isBound = result.variable.empty() ||
                   llvm::any_of(op.operands, [&, &result = result](const auto &operand) {
                     return operand.variable == result.variable;
                   });
    if (!isBound)
      return fault.report(place,
                          "has the type " + quoteText(result.variable) + ", which no operand has");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

bool readFile(const json::Value &file, mlir::MLIRContext *context,
              std::vector<ExternalOperator> &declared, Fault &fault) {
  Members members(file, "declarations", fault);
  int64_t schema = 0;
  bool isRead =
      members.integer("schema", schema, 1, 1) &&
      (schema == 1 || members.fail("schema", "is missing (need 1)")) &&
      members.list(
          "operators", /*isNeeded=*/true, [&](const json::Value &value, const std::string &place) {
            ExternalOperator op;
            if (!OperatorReader(value, place, context, fault).read(op))
              return false;
            for (const ExternalOperator &other : declared)
              if (other.domain == op.domain && other.name == op.name && other.version == op.version)
                return fault.report(place, "declares " + quoteText(op.name) + " again");
            declared.push_back(std::move(op));
            return true;
          });
  return isRead && members.finish();
}

} // namespace

std::optional<Diagnostic> cameo::readExternalOperators(const std::string &path,
                                                       std::vector<ExternalOperator> &declared) {
  std::unique_ptr<llvm::MemoryBuffer> content;
  if (auto problem = readInputFile(path, kMaxFileBytes, content))
    return problem;
  auto refuse = [&](const std::string &problem) {
    return Diagnostic{ExitClass::Usage, path, "", "--external: " + escapeText(problem, 1000), ""};
  };
  if (std::string problem = checkJsonSize(content->getBuffer(), kMaxDepth); !problem.empty())
    return refuse(problem);
  llvm::Expected<json::Value> file = json::parse(content->getBuffer());
  if (!file)
    return refuse(llvm::toString(file.takeError()));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<CoreDialect>();
  Fault fault;
  if (!readFile(*file, &context, declared, fault))
    return refuse(fault.text);
  return std::nullopt;
}
