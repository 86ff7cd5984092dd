// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-variants: the table of variants that compiler/Kernels/Variants.cpp includes, in a file where
// `Problem` and `ChosenNumbers` are. Machines of its kernel sets have a price for each resource
// that a variant spends.

#include "Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

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
  void checkPrices() const;
  void printMembers();

  raw_ostream &os;
  const Record &record;
  Template contract, function;
  NamedList members, choices, own, known;
};

std::string quote(StringRef text) { return ("\"" + text + "\"").str(); }

bool isAmong(const NamedList &list, StringRef name) {
  return any_of(list, [&](const Named &named) { return named.name == name; });
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
  auto call = [](StringRef name) { return ("problem." + name).str(); };
  return "[](const Problem &problem, const ChosenNumbers &choices) -> " + result.str() +
         " { return " + contract.translate(expression, known, {word, integer, call}) + "; }";
}

void VariantPrinter::printArray(StringRef type, StringRef part, ArrayRef<std::string> rows) {
  if (!rows.empty())
    os << "constexpr " << type << " " << array(part) << "[] = {" << join(rows, ",\n    ") << "};\n";
}

/// A set that has the function and lacks the resource would take it for nothing.
void VariantPrinter::checkPrices() const {
  for (const Record *spent : spends()) {
    const Record *resource = spent->getValueAsDef("resource");
    std::vector<const Record *> priced = resource->getValueAsListOfDefs("sets");
    for (const Record *set : function.record.getValueAsListOfDefs("sets"))
      if (!is_contained(priced, set))
        PrintFatalError(record.getLoc(), record.getName() + " spends " + resource->getName() +
                                             ", which has no price with kernels of " +
                                             set->getName());
  }
}

/// Members of the function that the contract has not.
void VariantPrinter::printMembers() {
  std::vector<std::string> rows;
  for (const Named &member : own) {
    if (!isAmong(function.members(), member.name))
      PrintFatalError(record.getLoc(), "no member " + member.name + " of " + function.name());
    rows.push_back("{" + quote(member.name) + ", " + translate(member.get("text"), "Amount") + "}");
  }
  printArray("VariantMember", "Members", rows);
}

void VariantPrinter::print() {
  checkPrices();
  std::vector<std::string> guards, numbers, amounts;
  for (StringRef guard : record.getValueAsListOfStrings("guards"))
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
  printMembers();
  for (const Record *spent : spends())
    amounts.push_back(
        "{" + quote(convertToSnakeFromCamelCase(spent->getValueAsDef("resource")->getName())) +
        ", " + translate(spent->getValueAsString("amount"), "Amount") + "}");
  printArray("VariantAmount", "Amounts", amounts);
  std::vector<std::string> packs;
  for (StringRef operand : record.getValueAsListOfStrings("packs")) {
    if (!isAmong(contract.operands, operand))
      PrintFatalError(record.getLoc(), "no operand " + operand + " of " + contract.name());
    packs.push_back(quote(operand));
  }
  printArray("llvm::StringLiteral", "Packs", packs);
  os << "constexpr llvm::StringLiteral " << array("Sets") << "[] = " << quoteList(function.sets())
     << ";\n";
}

std::string VariantPrinter::getRow() const {
  StringRef expansion = record.getValueAsString("expansion");
  bool hasGuards = !record.getValueAsListOfStrings("guards").empty();
  return "{" + quote(record.getName()) + ", " + quote(contract.name()) + ", " +
         quote(function.name()) + ", " + array("Sets") + ", " + reference("Guards", !hasGuards) +
         ", " + reference("Choices", choices.empty()) + ", " + reference("Members", own.empty()) +
         ", " + reference("Amounts", spends().empty()) + ", " +
         reference("Packs", record.getValueAsListOfStrings("packs").empty()) + ", " +
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

static void emitVariants(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Variants", os, records);
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
