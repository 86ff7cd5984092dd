// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-variants: the table of variants that compiler/Kernels/Variants.cpp includes, in a file where
// `Problem` and `ChosenNumbers` are and prog is a namespace. Machines of its kernel sets have a
// price for each resource that a variant spends.

#include "Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <set>

using namespace llvm;
using namespace cameo::tblgen;

namespace {

class VariantPrinter {
public:
  VariantPrinter(raw_ostream &os, const Record &record)
      : os(os), record(record), contract(*record.getValueAsDef("contract")),
        function(*record.getValueAsDef("function")), members(contract.members()),
        choices(readDag(record, "choices")), own(readDag(record, "members")), known(members) {
    known.insert(known.end(), contract.operands.begin(), contract.operands.end());
    known.insert(known.end(), choices.begin(), choices.end());
  }

  /// The arrays that the row names.
  void print();
  /// The variant's row in the table.
  std::string getRow() const;

private:
  std::string array(StringRef part) const {
    return toCamelCase(record.getName(), false) + part.str();
  }
  void printArray(StringRef type, StringRef part, ArrayRef<std::string> rows);
  std::string reference(StringRef part, bool isEmpty) const { return isEmpty ? "{}" : array(part); }
  /// A function of type `result` over a problem and choices.
  std::string translate(StringRef expression, StringRef result) const;
  std::vector<const Record *> spends() const { return record.getValueAsListOfDefs("spends"); }
  std::vector<const Record *> packs() const { return record.getValueAsListOfDefs("packs"); }
  /// The record's guards, then what follows from how its function takes operands.
  std::vector<std::string> getGuards() const;
  /// The kernel sets that choose it.
  std::vector<StringRef> sets() const;
  void checkPrices() const;
  void printMembers(const NamedList &wanted, const Template &of, StringRef part);
  std::vector<StringRef> getBlocks(const Record &pack) const;
  std::string getSteps(const Record &pack) const;
  std::string getPack(const Record &pack);

  raw_ostream &os;
  const Record &record;
  Template contract, function;
  NamedList members, choices, own, known;
};

std::string quote(StringRef text) { return ("\"" + text + "\"").str(); }

bool isAmong(const NamedList &list, StringRef name) {
  return any_of(list, [&](const Named &named) { return named.name == name; });
}

bool hasWindows(const Template &kernel, StringRef operand) {
  return any_of(kernel.record.getValueAsListOfDefs("windows"), [&](const Record *windows) {
    return windows->getValueAsString("input") == operand;
  });
}

bool isFunction(const Record &user, StringRef name) {
  const Record *function = user.getRecords().getDef(name);
  return function && function->isSubClassOf("Function");
}

} // namespace

std::string VariantPrinter::translate(StringRef expression, StringRef result) const {
  auto word = [&](StringRef name) {
    if (isAmong(choices, name))
      return "choices.get(" + quote(name) + ")";
    if (!isAmong(members, name))
      return quote(name);
    return "problem.get(" + quote(name) + ")";
  };
  auto integer = [](StringRef digits) { return digits.str(); };
  auto call = [&](StringRef name) {
    return isFunction(record, name) ? ("callWith<" + name + ">").str() : ("problem." + name).str();
  };
  return "[](const Problem &problem, const ChosenNumbers &choices) -> " + result.str() +
         " { return " + contract.translate(expression, known, {word, integer, call}) + "; }";
}

void VariantPrinter::printArray(StringRef type, StringRef part, ArrayRef<std::string> rows) {
  if (!rows.empty())
    os << "constexpr " << type << " " << array(part) << "[] = {" << join(rows, ",\n    ") << "};\n";
}

std::vector<StringRef> VariantPrinter::sets() const {
  std::vector<StringRef> names = readSets(record);
  for (StringRef name : names)
    if (!function.isIn(name))
      PrintFatalError(record.getLoc(), function.name() + " is not in set " + name);
  return names;
}

/// A set that has the function and lacks the resource would take it for nothing.
void VariantPrinter::checkPrices() const {
  for (const Record *spent : spends()) {
    const Record *resource = spent->getValueAsDef("resource");
    std::vector<const Record *> priced = resource->getValueAsListOfDefs("sets");
    for (const Record *set : record.getValueAsListOfDefs("sets"))
      if (!is_contained(priced, set))
        PrintFatalError(record.getLoc(), record.getName() + " spends " + resource->getName() +
                                             ", which has no price with kernels of " +
                                             set->getName());
  }
}

/// Numbers that members of a template are.
void VariantPrinter::printMembers(const NamedList &wanted, const Template &of, StringRef part) {
  std::vector<std::string> rows;
  for (const Named &member : wanted) {
    if (!isAmong(of.members(), member.name))
      PrintFatalError(record.getLoc(), "no member " + member.name + " of " + of.name());
    rows.push_back("{" + quote(member.name) + ", " + translate(member.get("text"), "Amount") + "}");
  }
  printArray("VariantMember", part, rows);
}

std::vector<std::string> VariantPrinter::getGuards() const {
  std::vector<std::string> guards;
  for (StringRef guard : record.getValueAsListOfStrings("guards"))
    guards.push_back(guard.str());
  // An image that windows lie over is in blocks or in planes.
  if (record.getValueAsString("expansion").empty())
    for (const Named &operand : function.operands)
      if (hasWindows(contract, operand.name))
        guards.push_back((operand.get("layout") == "planes" ? "are_planes(" : "!are_planes(") +
                         operand.name.str() + ")");
  for (const Record *pack : packs())
    if (pack->isValueUnset("call"))
      guards.push_back(("constant(" + pack->getValueAsString("operand") + ")").str());
  return guards;
}

/// How long the blocks of the function's operand are that an image is.
std::vector<StringRef> VariantPrinter::getBlocks(const Record &pack) const {
  StringRef image = pack.getValueAsString("image");
  auto found = find_if(function.operands, [&](const Named &named) { return named.name == image; });
  if (found == function.operands.end())
    PrintFatalError(record.getLoc(), "no operand " + image + " of " + function.name());
  std::vector<StringRef> lengths = found->record->getValueAsListOfStrings("lengths");
  if (lengths.size() != pack.getValueAsListOfInts("axes").size() ||
      !all_of(lengths, [](StringRef length) { return all_of(length, isDigit); }))
    PrintFatalError(record.getLoc(), "operand " + image + " of " + function.name() +
                                         " is not in blocks of these axes");
  return lengths;
}

/// A function that makes the attributes, whose names and parameters C++ checks.
std::string VariantPrinter::getSteps(const Record &pack) const {
  std::string text = "[](const Problem &problem, const ChosenNumbers &choices) {\n"
                     "  llvm::SmallVector<mlir::Attribute> steps;\n";
  auto evaluate = [&](StringRef expression, StringRef type) {
    return translate(expression, type) + "(problem, choices)";
  };
  for (const Record *step : pack.getValueAsListOfDefs("through")) {
    if (StringRef condition = step->getValueAsString("condition"); !condition.empty())
      text += "  if (" + evaluate(condition, "bool") + ")\n";
    text += "  steps.push_back(prog::" + toCamelCase(step->getValueAsString("name"), true) +
            "Attr::get(problem.getContext()";
    for (StringRef parameter : step->getValueAsListOfStrings("parameters"))
      text += ", " + evaluate(parameter, "Amount") + ".get()";
    text += "));\n";
  }
  return text + "  return steps; }";
}

/// A row of VariantPack, behind the arrays that it names.
std::string VariantPrinter::getPack(const Record &pack) {
  StringRef operand = pack.getValueAsString("operand");
  if (!isAmong(contract.operands, operand))
    PrintFatalError(record.getLoc(), "no operand " + operand + " of " + contract.name());
  std::string part = toCamelCase(operand, true), call;
  NamedList others = readDag(pack, "members");
  if (!pack.isValueUnset("call")) {
    Template maker(*pack.getValueAsDef("call"));
    printMembers(others, maker, part + "Members");
    call = maker.name();
  }
  std::vector<std::string> axes, blocks;
  for (int64_t axis : pack.getValueAsListOfInts("axes"))
    axes.push_back(std::to_string(axis));
  for (StringRef length : getBlocks(pack))
    blocks.push_back(length.str());
  printArray("int64_t", part + "Axes", axes);
  printArray("int64_t", part + "Blocks", blocks);
  return "{" + quote(operand) + ", " + quote(pack.getValueAsString("image")) + ", " +
         reference(part + "Axes", axes.empty()) + ", " +
         reference(part + "Blocks", blocks.empty()) + ", " + quote(call) + ", " +
         reference(part + "Members", others.empty()) + ", " + getSteps(pack) + "}";
}

void VariantPrinter::print() {
  checkPrices();
  std::vector<std::string> guards, numbers, amounts, packed;
  for (const std::string &guard : getGuards())
    guards.push_back("{" + quote(guard) + ", " + translate(guard, "bool") + "}");
  printArray("VariantGuard", "Guards", guards);
  for (const Named &choice : choices) {
    std::vector<std::string> values;
    for (int64_t value : choice.record->getValueAsListOfInts("values"))
      values.push_back(std::to_string(value));
    std::string part = toCamelCase(choice.name, true) + "Values";
    printArray("int64_t", part, values);
    numbers.push_back("{" + quote(choice.name) + ", " + array(part) + "}");
  }
  printArray("VariantChoice", "Choices", numbers);
  printMembers(own, function, "Members");
  for (const Record *spent : spends())
    amounts.push_back(
        "{" + quote(convertToSnakeFromCamelCase(spent->getValueAsDef("resource")->getName())) +
        ", " + translate(spent->getValueAsString("amount"), "Amount") + "}");
  printArray("VariantAmount", "Amounts", amounts);
  for (const Record *pack : packs())
    packed.push_back(getPack(*pack));
  printArray("VariantPack", "Packs", packed);
  os << "constexpr llvm::StringLiteral " << array("Sets") << "[] = " << quoteList(sets()) << ";\n";
}

std::string VariantPrinter::getRow() const {
  StringRef expansion = record.getValueAsString("expansion");
  return "{" + quote(record.getName()) + ", " + quote(contract.name()) + ", " +
         quote(function.name()) + ", " + array("Sets") + ", " +
         reference("Guards", getGuards().empty()) + ", " + reference("Choices", choices.empty()) +
         ", " + reference("Members", own.empty()) + ", " + reference("Amounts", spends().empty()) +
         ", " + reference("Packs", packs().empty()) + ", " +
         "Expansion::" + (expansion.empty() ? "None" : toCamelCase(expansion, true)) + ", " +
         std::to_string(record.getValueAsInt("worth")) + ", " +
         std::to_string(record.getValueAsInt("choiceWorth")) + "}";
}

/// The contracts that have ranges, with the members whose product these are of.
static void emitRanged(const RecordKeeper &records, raw_ostream &os) {
  std::vector<std::string> rows;
  for (const Record *record : records.getAllDerivedDefinitions("Ranged")) {
    Template contract(*record->getValueAsDef("contract"));
    for (StringRef member : record->getValueAsListOfStrings("members"))
      if (!isAmong(contract.members(), member))
        PrintFatalError(record->getLoc(), "no member " + member + " of " + contract.name());
    std::string members = "rangedMembers" + std::to_string(rows.size());
    os << "constexpr llvm::StringLiteral " << members
       << "[] = " << quoteList(record->getValueAsListOfStrings("members")) << ";\n";
    rows.push_back("{" + quote(contract.name()) + ", " + members + "}");
  }
  os << "constexpr RangedContract rangedContracts[] = {" << join(rows, ", ") << "};\n";
}

/// The headers of the functions that expressions call.
static void emitIncludes(const RecordKeeper &records, raw_ostream &os) {
  std::set<StringRef> headers;
  for (const Record *function : records.getAllDerivedDefinitions("Function"))
    headers.insert(function->getValueAsString("header"));
  for (StringRef header : headers)
    os << "#include \"" << header << "\"\n";
}

static void emitVariants(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Variants", os, records);
  emitIncludes(records, os);
  // In the order of the records: by name they come otherwise.
  std::vector<const Record *> variants = records.getAllDerivedDefinitions("Variant").vec();
  sort(variants, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  std::vector<std::string> rows;
  for (const Record *record : variants) {
    VariantPrinter printer(os, *record);
    printer.print();
    rows.push_back(printer.getRow());
  }
  os << "constexpr Variant variants[] = {" << join(rows, ",\n    ") << "};\n";
  emitRanged(records, os);
}

static TableGen::Emitter::Opt registration("gen-variants", emitVariants,
                                           "Variants of kernel templates as constants");
