// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-template-records: the constants that compiler/Dialect/Prog/IR/KernelTemplates.cpp includes,
// in a file where `facts` is what is known of a call.

#include "Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace cameo::tblgen;

namespace {

class RecordsPrinter {
public:
  RecordsPrinter(raw_ostream &os, const Template &kernel)
      : os(os), kernel(kernel), members(kernel.members()), types(kernel.typeNames()) {}

  void print() {
    printArguments();
    printParams();
    printOperands();
    printFunctors();
    printWindows();
    printScratch();
    printWords("extensions", kernel.record.getValueAsListOfStrings("extensions"));
  }
  /// The template's row in the table.
  void printRow();

private:
  std::string array(StringRef part) { return toCamelCase(kernel.name(), false) + part.str(); }
  void printArray(StringRef type, StringRef part, ArrayRef<std::string> rows) {
    if (!rows.empty())
      os << "constexpr " << type << " " << array(part) << "[] = {" << join(rows, ",\n    ")
         << "};\n";
  }
  std::string reference(StringRef part, bool isEmpty) { return isEmpty ? "{}" : array(part); }
  std::string printWords(StringRef owner, const std::vector<StringRef> &words);
  std::string extents(StringRef expression);
  std::string type(StringRef expression);
  std::string blockLength(StringRef length);
  std::string getScratchType(StringRef name);
  void printArguments();
  void printParams();
  void printOperands();
  void printFunctors();
  void printWindows();
  void printScratch();

  raw_ostream &os;
  const Template &kernel;
  NamedList members, types;
};

std::string quote(StringRef text) { return ("\"" + text + "\"").str(); }
std::string boolean(bool value) { return value ? "true" : "false"; }
/// The lowest has no literal.
std::string integer(int64_t value) {
  return value == INT64_MIN ? "INT64_MIN" : std::to_string(value);
}

} // namespace

/// Words as an array of its own.
std::string RecordsPrinter::printWords(StringRef owner, const std::vector<StringRef> &words) {
  if (words.empty())
    return "{}";
  std::string name = array(toCamelCase(owner, true) + "Words");
  os << "constexpr StringLiteral " << name << "[] = " << quoteList(words) << ";\n";
  return name;
}

std::string RecordsPrinter::extents(StringRef expression) {
  if (expression.empty())
    return "nullptr";
  auto word = [&](StringRef name) {
    const Named &member = *find_if(members, [&](const Named &named) { return named.name == name; });
    return (member.get("length").empty() ? "facts.extent(\"" : "facts.extents(\"") + name.str() +
           "\")";
  };
  auto integer = [](StringRef digits) { return ("facts.constant(" + digits + ")").str(); };
  auto function = [](StringRef name) { return ("facts." + name).str(); };
  return "[](const CallFacts &facts) { return " +
         kernel.translate(expression, members, {word, integer, function}) + "; }";
}

std::string RecordsPrinter::type(StringRef expression) {
  if (expression.empty())
    return "nullptr";
  auto word = [&](StringRef name) {
    auto isNamed = [&](const Named &named) { return named.name == name; };
    StringRef what = any_of(kernel.functors, isNamed)    ? "loaded"
                     : any_of(kernel.arguments, isNamed) ? "argument"
                                                         : "element";
    return ("facts." + what + "(\"" + name + "\")").str();
  };
  auto same = [](StringRef text) { return text.str(); };
  auto function = [](StringRef name) { return ("facts." + name).str(); };
  return "[](const CallFacts &facts) { return " +
         kernel.translate(expression, types, {word, same, function}) + "; }";
}

void RecordsPrinter::printArguments() {
  std::vector<std::string> rows;
  for (const Named &argument : kernel.arguments) {
    std::string forms =
        printWords(argument.name, argument.record->getValueAsListOfStrings("forms"));
    rows.push_back("{" + quote(argument.name) + ", " + forms + "}");
  }
  printArray("TemplateArgument", "Arguments", rows);
}

void RecordsPrinter::printParams() {
  std::vector<std::string> rows;
  for (const Named &param : members) {
    std::string words = printWords(param.name, param.record->getValueAsListOfStrings("words"));
    rows.push_back("{" + quote(param.name) + ", ParamKind::" + param.kind().str() + ", " +
                   boolean(param.is("isStatic")) + ", " +
                   boolean(!param.get("defaultText").empty()) + ", " +
                   boolean(param.is("isHostOnly")) + ", " + quote(param.get("argument")) + ", " +
                   quote(param.get("word")) + ", " + extents(param.get("length")) + ", " +
                   integer(param.record->getValueAsInt("least")) + ", " +
                   integer(param.record->getValueAsInt("most")) + ", " +
                   quote(param.get("cppType")) + ", " + words + "}");
  }
  printArray("TemplateParam", "Params", rows);
}

/// An integer, or a member with its default.
std::string RecordsPrinter::blockLength(StringRef length) {
  if (all_of(length, isDigit))
    return ("{\"\", " + length + "}").str();
  auto member = find_if(members, [&](const Named &named) { return named.name == length; });
  if (member == members.end())
    PrintFatalError(kernel.record.getLoc(), "a block is as long as no member '" + length + "'");
  StringRef otherwise = member->get("defaultText");
  return "{" + quote(length) + ", " + (otherwise.empty() ? "0" : otherwise.str()) + "}";
}

void RecordsPrinter::printOperands() {
  std::vector<std::string> rows;
  for (const Named &operand : kernel.operands) {
    std::string words = printWords(operand.name, operand.record->getValueAsListOfStrings("types"));
    std::vector<StringRef> lengths = operand.record->getValueAsListOfStrings("lengths");
    std::string part = toCamelCase(operand.name, true) + "Lengths";
    printArray("BlockLength", part, to_vector(map_range(lengths, [&](StringRef length) {
                 return blockLength(length);
               })));
    rows.push_back("{" + quote(operand.name) + ", OperandKind::" + operand.kind().str() + ", " +
                   quote(operand.get("type")) + ", " + words + ", " +
                   boolean(operand.is("mayBeNull")) +
                   ", OperandLayout::" + toCamelCase(operand.get("layout"), true) + ", " +
                   reference(part, lengths.empty()) + ", " + quote(operand.get("distances")) +
                   ", " + extents(operand.get("part")) + "}");
  }
  printArray("TemplateOperand", "Operands", rows);
}

void RecordsPrinter::printFunctors() {
  std::vector<std::string> rows;
  for (const Named &functor : kernel.functors) {
    std::string words = printWords(functor.name, functor.record->getValueAsListOfStrings("types"));
    rows.push_back("{" + quote(functor.name) + ", FunctorKind::" + functor.kind().str() + ", " +
                   words + ", " + extents(functor.get("indexRank")) + ", " +
                   type(functor.get("value")) + ", " + extents(functor.get("times")) + ", " +
                   boolean(functor.is("isOptional")) + "}");
  }
  printArray("TemplateFunctor", "Functors", rows);
}

void RecordsPrinter::printWindows() {
  std::vector<std::string> rows;
  for (const Record *windows : kernel.record.getValueAsListOfDefs("windows")) {
    StringRef input = windows->getValueAsString("input");
    if (none_of(kernel.inputs(), [&](const Named &named) { return named.name == input; }))
      PrintFatalError(kernel.record.getLoc(), "windows over no input '" + input + "'");
    std::string row = "{" + quote(input) + ", " + std::to_string(windows->getValueAsInt("axis"));
    for (StringRef field : {"length", "first", "count", "step", "reach"})
      row += ", " + extents(windows->getValueAsString(field));
    rows.push_back(row + "}");
  }
  printArray("TemplateWindows", "Windows", rows);
}

/// Where a call says what the type is.
std::string RecordsPrinter::getScratchType(StringRef name) {
  auto findNumber = [&](StringRef source, const NamedList &list) -> std::string {
    for (auto [number, named] : enumerate(list))
      if (named.name == name)
        return ("{ScratchType::" + source + ", " + Twine(number) + "}").str();
    return "";
  };
  for (std::string found :
       {findNumber("Argument", kernel.arguments), findNumber("Input", kernel.inputs()),
        findNumber("Load", kernel.functorsOf("Load"))})
    if (!found.empty())
      return found;
  PrintFatalError(kernel.record.getLoc(), "no type '" + name + "' for scratch memory");
}

void RecordsPrinter::printScratch() {
  std::vector<std::string> rows;
  for (StringRef name : kernel.record.getValueAsListOfStrings("scratchTypes"))
    rows.push_back(getScratchType(name));
  printArray("ScratchType", "Scratch", rows);
}

void RecordsPrinter::printRow() {
  const Record &record = kernel.record;
  os << "    {" << quote(kernel.name()) << ", " << quote(kernel.header()) << ", "
     << reference("SetsWords", kernel.sets().empty()) << ", "
     << reference("Arguments", kernel.arguments.empty()) << ", "
     << reference("Params", members.empty()) << ", "
     << reference("Operands", kernel.operands.empty()) << ", "
     << reference("Functors", kernel.functors.empty()) << ", "
     << reference("Windows", record.getValueAsListOfDefs("windows").empty()) << ", "
     << boolean(record.getValueAsBit("takesScratch")) << ", "
     << reference("Scratch", record.getValueAsListOfStrings("scratchTypes").empty()) << ", "
     << boolean(record.getValueAsBit("mayRaise")) << ", "
     << boolean(record.getValueAsBit("takesCounts")) << ", "
     << boolean(record.getValueAsBit("takesScratch") && !record.getValueAsBit("scratchIsHostOnly"))
     << ", " << reference("ExtensionsWords", record.getValueAsListOfStrings("extensions").empty())
     << ", " << quote(record.getValueAsString("replaces")) << ", TemplateRole::"
     << (record.getValueAsString("role").empty() ? "None" : record.getValueAsString("role"))
     << "},\n";
}

static void emitRecords(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Kernel templates", os, records);
  std::vector<Template> templates = readTemplates(records);
  for (const Template &kernel : templates) {
    os << "\n";
    RecordsPrinter printer(os, kernel);
    if (!kernel.sets().empty())
      os << "constexpr StringLiteral " << toCamelCase(kernel.name(), false)
         << "SetsWords[] = " << quoteList(kernel.sets()) << ";\n";
    printer.print();
  }
  os << "\n/// By name.\nconstexpr KernelTemplate kTemplates[] = {\n";
  for (const Template &kernel : templates)
    RecordsPrinter(os, kernel).printRow();
  os << "};\n";
}

static TableGen::Emitter::Opt registration("gen-template-records", emitRecords,
                                           "Kernel templates as constants of the compiler");
