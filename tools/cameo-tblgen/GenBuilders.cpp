// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-template-builders: a class per template, with a method per argument, member, operand and
// functor, over CallBuilder of compiler/Conversion/OnnxToProg/TemplateCalls.h.

#include "Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace cameo::tblgen;

namespace {

class BuilderPrinter {
public:
  BuilderPrinter(raw_ostream &os, const Template &kernel)
      : os(os), kernel(kernel), builder(toCamelCase(kernel.name(), true) + "Call") {}

  void print();

private:
  /// A method that hands its parameters on.
  void printMethod(StringRef name, const Twine &parameters, const Twine &statement) {
    os << "  " << builder << " &" << toCamelCase(name, false) << "(" << parameters << ") {\n    "
       << statement << ";\n    return *this;\n  }\n";
  }
  void printArgument(unsigned number, const Named &argument);
  void printParam(const Named &param);
  void printOperands();
  void printFunctor(unsigned number, const Named &functor);

  raw_ostream &os;
  const Template &kernel;
  std::string builder;
};

} // namespace

/// `arg_max<T, LAST>` takes a word, a type and a bool.
void BuilderPrinter::printArgument(unsigned number, const Named &argument) {
  std::string slot = std::to_string(number);
  if (argument.get("cppType") == "bool")
    return printMethod(argument.name, "bool value",
                       "setArgument(" + slot + ", value ? \"true\" : \"false\")");
  StringRef form = argument.record->getValueAsListOfStrings("forms").front();
  auto [word, list] = form.split('<');
  std::string qualifier;
  if (auto [scope, rest] = word.rsplit("::"); !rest.empty())
    qualifier = (scope + "::").str();
  std::string parameters = "llvm::StringRef word", rest;
  SmallVector<StringRef> words;
  list.consume_back(">");
  list.split(words, ", ", -1, /*KeepEmpty=*/false);
  for (StringRef given : words) {
    std::string name = toCamelCase(given, false);
    parameters += (given == "T" ? ", mlir::Type " : ", bool ") + name;
    rest += (given == "T" ? ", spellType(" + name + ")"
                          : ", std::string(" + name + " ? \"true\" : \"false\")");
  }
  printMethod(argument.name, parameters,
              "setArgument(" + slot + ", \"" + qualifier + "\" + word.str(), {" +
                  StringRef(rest).drop_front(rest.empty() ? 0 : 2).str() + "})");
}

void BuilderPrinter::printParam(const Named &param) {
  std::vector<StringRef> types =
      StringSwitch<std::vector<StringRef>>(param.kind())
          .Case("Flag", {"bool"})
          .Case("Real", {"double"})
          .Case("Reals", {"mlir::ValueRange"})
          .Case("Keyword", {"llvm::StringRef"})
          .Case("Array", {"llvm::ArrayRef<core::ExtentAttr>", "llvm::ArrayRef<int64_t>"})
          .Default({"int64_t", "core::ExtentAttr"});
  if (param.is("isStatic"))
    types.resize(1);
  std::string prefix =
      param.kind() == "Keyword" ? ("\"" + param.get("cppType") + "::\" + ").str() : "";
  std::string value = param.kind() == "Keyword" ? "value.str()" : "value";
  for (StringRef type : types)
    printMethod(
        param.name, type + " value",
        "set" +
            (param.kind() == "Rank" || param.kind() == "Array" ? StringRef("Int") : param.kind()) +
            "(\"" + param.name + "\", " + prefix + value + ")");
}

void BuilderPrinter::printOperands() {
  for (auto [number, input] : enumerate(kernel.inputs()))
    printMethod(input.name, "mlir::Value value", "setInput(" + Twine(number) + ", value)");
  for (auto [number, output] : enumerate(kernel.outputs()))
    if (output.kind() == "Out")
      printMethod(output.name, "core::SymTensorType type",
                  "setOutput(" + Twine(number) + ", type)");
    else
      printMethod(output.name, "mlir::Value dest", "setInPlace(" + Twine(number) + ", dest)");
}

void BuilderPrinter::printFunctor(unsigned number, const Named &functor) {
  std::string slot = std::to_string(number);
  if (functor.kind() == "Apply")
    return printMethod(functor.name, "BodyFunction body",
                       "setFunctor(" + slot + ", {}, {}, {}, std::move(body))");
  if (functor.kind() == "Load") {
    printMethod(functor.name, "llvm::ArrayRef<Read> reads, BodyFunction body",
                "setFunctor(" + slot + ", reads, {}, {}, std::move(body))");
    return printMethod(functor.name, "mlir::Value tensor, const Index &index",
                       "setLoad(" + slot + ", tensor, index)");
  }
  printMethod(functor.name,
              "llvm::ArrayRef<Read> reads, core::SymTensorType result, const Index &stored, "
              "BodyFunction body",
              "setFunctor(" + slot + ", reads, result, stored, std::move(body))");
  printMethod(functor.name, "core::SymTensorType result, const Index &stored",
              "setStore(" + slot + ", result, stored)");
}

void BuilderPrinter::print() {
  os << "\nclass " << builder << " : public CallBuilder {\npublic:\n"
     << "  static constexpr llvm::StringLiteral kTemplate = \"" << kernel.name() << "\";\n"
     << "  explicit " << builder << "(Lowering &lower) : CallBuilder(lower, kTemplate) {}\n";
  for (auto [number, argument] : enumerate(kernel.arguments))
    printArgument(number, argument);
  for (const Group &group : kernel.groups)
    printMethod(group.method, group.type + " value", "setGroup(\"" + group.method + "\", value)");
  for (const Named &param : kernel.params)
    printParam(param);
  printOperands();
  for (auto [number, functor] : enumerate(kernel.functors))
    printFunctor(number, functor);
  os << "};\n";
}

static void emitBuilders(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Builders of calls of kernel templates", os, records);
  for (const Template &kernel : readTemplates(records))
    BuilderPrinter(os, kernel).print();
}

static TableGen::Emitter::Opt registration("gen-template-builders", emitBuilders,
                                           "Typed builders of calls of kernel templates");
