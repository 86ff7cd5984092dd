// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-template-reference: the section of docs/templates.md that says what each template is
// given.

#include "Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <map>

using namespace llvm;
using namespace cameo::tblgen;

namespace {

constexpr size_t kWidth = 120;

class ReferencePrinter {
public:
  ReferencePrinter(raw_ostream &os, const Template &kernel) : os(os), kernel(kernel) {}
  void print();

private:
  /// One point of a list, broken into lines.
  void printPoint(const Twine &text);
  void printList(StringRef head, const NamedList &list,
                 function_ref<std::string(const Named &)> describe);
  std::string describeParam(const Named &param);
  std::string describeOperand(const Named &operand);
  std::string describeFunctor(const Named &functor);
  std::string describeScratch();

  raw_ostream &os;
  const Template &kernel;
};

std::string code(const Twine &text) { return ("`" + text + "`").str(); }

std::string names(const NamedList &list) {
  return join(map_range(list, [](const Named &named) { return named.name.str(); }), ", ");
}

} // namespace

void ReferencePrinter::printPoint(const Twine &text) {
  std::string all = text.str();
  SmallVector<StringRef> words;
  StringRef(all).split(words, ' ', -1, /*KeepEmpty=*/false);
  size_t column = 1;
  os << "-";
  for (StringRef word : words) {
    if (column + 1 + word.size() > kWidth) {
      os << "\n ";
      column = 1;
    }
    os << " " << word;
    column += 1 + word.size();
  }
  os << "\n";
}

void ReferencePrinter::printList(StringRef head, const NamedList &list,
                                 function_ref<std::string(const Named &)> describe) {
  if (!list.empty())
    printPoint(head + ": " + join(map_range(list, describe), "; "));
}

std::string ReferencePrinter::describeParam(const Named &param) {
  std::string length = param.get("length").str();
  std::string text = code(param.name + (length.empty() ? "" : "[" + length + "]"));
  int64_t least = param.record->getValueAsInt("least"), most = param.record->getValueAsInt("most");
  if (param.kind() == "Flag" || param.kind() == "Real")
    text += param.kind() == "Flag" ? " bool" : " float";
  if (param.kind() == "Reals")
    text += " floats or doubles";
  if (param.kind() == "Keyword")
    text += " " + code(param.get("cppType") +
                       "::" + join(param.record->getValueAsListOfStrings("words"), " "));
  if ((param.kind() == "Rank" || param.kind() == "Int") && most < 100)
    text += " " + std::to_string(least) + ".." + std::to_string(most);
  if (param.is("isStatic"))
    text += ", static";
  if (param.is("isHostOnly"))
    text += ", known to the host";
  if (!param.get("defaultText").empty())
    text += ", opt = " + param.get("defaultText").str();
  if (!param.get("argument").empty())
    text += ", where " + param.get("argument").str() + " is " + param.get("word").str();
  return text;
}

std::string ReferencePrinter::describeOperand(const Named &operand) {
  std::string type = operand.get("type").str(), text = code(operand.name) + " ";
  text += code((operand.kind() == "In" ? "const " : "") + type + " *");
  std::vector<StringRef> types = operand.record->getValueAsListOfStrings("types");
  if (!types.empty())
    text += " (" + join(types, ", ") + ")";
  if (operand.get("layout") != "dense")
    text += ", " + operand.get("layout").str();
  if (auto lengths = operand.record->getValueAsListOfStrings("lengths"); !lengths.empty())
    text += " of " + join(lengths, " by ");
  if (StringRef distances = operand.get("distances"); !distances.empty())
    text += ", parts of " + code(operand.get("part")) + " at " + code(distances);
  if (operand.kind() == "InPlace")
    text += ", updated";
  if (operand.is("mayBeNull"))
    text += ", or null";
  return text;
}

std::string ReferencePrinter::describeFunctor(const Named &functor) {
  std::string index = ("index<" + functor.get("indexRank") + ">").str();
  StringRef value = functor.get("value"), times = functor.get("times");
  std::string text =
      code(functor.name + "(" + index + (value.empty() ? "" : ", " + value.str()) + ")");
  if (times != "1")
    text += " up to " + (all_of(times, isDigit) ? times.str() : code(times)) + " times";
  if (functor.is("isOptional"))
    text += ", opt";
  return text;
}

std::string ReferencePrinter::describeScratch() {
  std::vector<std::string> types;
  for (StringRef name : kernel.record.getValueAsListOfStrings("scratchTypes")) {
    std::string type = name.str();
    for (const Named &operand : kernel.operands)
      if (operand.name == name)
        type = operand.get("type").str();
    for (const Named &functor : kernel.functors)
      if (functor.name == name)
        type = ("what " + name + " yields").str();
    types.push_back(type);
  }
  return code(kernel.name() + "_scratch<" + join(types, ", ") + ">(p, threads)");
}

void ReferencePrinter::print() {
  std::string arguments = names(kernel.arguments);
  os << "\n`" << kernel.name() << (arguments.empty() ? "" : "<" + arguments + ">") << "(e, p";
  for (const NamedList &list : {kernel.operands, kernel.functors})
    if (!list.empty())
      os << ", " << names(list);
  os << ")` (" << (kernel.sets().empty() ? "no set" : join(kernel.sets(), ", ")) << ")\n";
  for (const std::string &line : kernel.description())
    os << line << "\n";
  os << "\n";
  printList("Arguments", kernel.arguments, [](const Named &argument) {
    return argument.name.str() + " " +
           code(join(argument.record->getValueAsListOfStrings("forms"), "` `"));
  });
  printList("p", kernel.members(), [&](const Named &param) { return describeParam(param); });
  printList("Operands", kernel.operands,
            [&](const Named &operand) { return describeOperand(operand); });
  printList("Functors", kernel.functors,
            [&](const Named &functor) { return describeFunctor(functor); });
  if (kernel.record.getValueAsBit("takesScratch"))
    printPoint("Scratch: " + describeScratch());
  if (kernel.record.getValueAsBit("mayRaise"))
    printPoint("Raises `CAMEO_OUT_OF_RANGE`");
  if (kernel.record.getValueAsBit("takesCounts"))
    printPoint("p may have counted extents (cuda)");
  if (StringRef replaced = kernel.record.getValueAsString("replaces"); !replaced.empty())
    printPoint("Takes over calls of " + code(replaced.str()) + " unless --precision is exact");
  if (std::vector<StringRef> found = kernel.record.getValueAsListOfStrings("extensions");
      !found.empty())
    printPoint("Faster by: " + code(join(found, "`, `")));
  if (kernel.isIn("cuda"))
    printPoint("Launches: " + code(kernel.record.getValueAsString("launches")));
}

static void emitReference(const RecordKeeper &records, raw_ostream &os) {
  std::vector<Template> templates = readTemplates(records);
  std::map<StringRef, std::vector<const Template *>> headers;
  for (const Template &kernel : templates)
    headers[kernel.header()].push_back(&kernel);
  for (const auto &[header, kernels] : headers) {
    os << "\n## " << (header.empty() ? "Contracts" : header) << "\n";
    for (const Template *kernel : kernels)
      ReferencePrinter(os, *kernel).print();
  }
}

static TableGen::Emitter::Opt registration("gen-template-reference", emitReference,
                                           "The reference of kernel templates");
