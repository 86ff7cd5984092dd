// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-template-instances: test cases that call every template as its record says, for
// tests/templates/records_test.cpp: with members as ordinary ones, operands all there, every form
// of its template arguments; with extents that the device counts, where it takes them; and with
// static members, optional ones there, operands null that may be, and stores that drop their
// values.

#include "Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <algorithm>

using namespace llvm;
using namespace cameo::tblgen;

namespace {

enum class Members { Ordinary, Counted, Static };

class InstancePrinter {
public:
  /// `form` chooses among the forms of the first template argument.
  InstancePrinter(raw_ostream &os, const Template &kernel, size_t form, Members kind)
      : os(os), kernel(kernel), form(form), isStatic(kind == Members::Static),
        isCounted(kind == Members::Counted), members(kernel.members()) {}
  void print();

private:
  std::string getArgument(const Named &argument);
  bool hasMember(const Named &param);
  bool isCountedMember(const Named &param);
  int64_t getLength(StringRef expression);
  void printMember(const Named &param);
  void printCounts();
  std::string extents(StringRef expression);
  std::string type(StringRef expression);
  std::string getElement(const Named &operand);
  std::string getOperand(const Named &operand);
  std::string getFunctor(const Named &functor);
  std::string getScratch();

  raw_ostream &os;
  const Template &kernel;
  size_t form;
  bool isStatic, isCounted;
  NamedList members;
};

int64_t getExample(const Named &param) {
  return std::clamp(param.record->getValueAsInt("example"), param.record->getValueAsInt("least"),
                    param.record->getValueAsInt("most"));
}

std::string getLoaded(const Named &load) {
  std::vector<StringRef> types = load.record->getValueAsListOfStrings("types");
  return types.empty() ? "float" : types.front().str();
}

} // namespace

/// In a form, T is float and other words of capitals are true.
std::string InstancePrinter::getArgument(const Named &argument) {
  std::vector<StringRef> forms = argument.record->getValueAsListOfStrings("forms");
  auto [name, list] = forms[form % forms.size()].split('<');
  if (list.empty())
    return name.str();
  SmallVector<StringRef> words;
  list.consume_back(">");
  list.split(words, ", ");
  auto fill = [](StringRef word) { return StringRef(word == "T" ? "float" : "true"); };
  return (name + "<" + join(map_range(words, fill), ", ") + ">").str();
}

bool InstancePrinter::hasMember(const Named &param) {
  if (!param.get("argument").empty())
    for (const Named &argument : kernel.arguments)
      if (argument.name == param.get("argument"))
        return StringRef(getArgument(argument)).ends_with(("::" + param.get("word")).str());
  return isStatic || param.get("defaultText").empty();
}

bool InstancePrinter::isCountedMember(const Named &param) {
  return isCounted && hasMember(param) && (param.kind() == "Int" || param.kind() == "Array") &&
         !param.is("isStatic") && !param.is("isHostOnly");
}

void InstancePrinter::printCounts() {
  os << "  template <class V> CAMEO_DEVICE void each_count(V visit) {\n    (void)visit;\n";
  for (const Named &param : members)
    if (isCountedMember(param))
      os << (param.get("length").empty() ? "    visit(" + param.name.str() + ");\n"
                                         : "    for (counted_extent &extent : " + param.name.str() +
                                               ")\n      visit(extent);\n");
  os << "  }\n  CAMEO_DEVICE void load_counts() {\n"
     << "    each_count([](counted_extent &extent) { extent.load_counts(); });\n  }\n";
}

/// Elements of an array: a product of integers and members.
int64_t InstancePrinter::getLength(StringRef expression) {
  int64_t length = 1;
  for (StringRef factor : split(expression, '*')) {
    int64_t number;
    if (factor.trim().getAsInteger(10, number)) {
      auto isNamed = [&](const Named &member) { return member.name == factor.trim(); };
      auto found = find_if(members, isNamed);
      if (found == members.end())
        PrintFatalError(kernel.record.getLoc(), "a length is a product: '" + expression + "'");
      number = getExample(*found);
    }
    length *= number;
  }
  return length;
}

void InstancePrinter::printMember(const Named &param) {
  StringRef kind = param.kind();
  std::string type = kind == "Rank"           ? "int"
                     : kind == "Flag"         ? "bool"
                     : kind == "Real"         ? "float"
                     : kind == "Reals"        ? "double"
                     : kind == "Keyword"      ? param.get("cppType").str()
                     : isCountedMember(param) ? "counted_extent"
                                              : "int64_t";
  std::string value = std::to_string(getExample(param)), declarator = param.name.str();
  if (kind == "Flag")
    value = "true";
  if (kind == "Keyword")
    value = (param.get("cppType") + "::" + param.record->getValueAsListOfStrings("words").front())
                .str();
  if (StringRef length = param.get("length"); !length.empty()) {
    int64_t count = getLength(length);
    declarator += "[" + std::to_string(count) + "]";
    value = "{" + join(std::vector<std::string>(count, value), ", ") + "}";
  }
  bool isConstant = isStatic || param.is("isStatic");
  os << "  " << (isConstant ? "static constexpr " : "") << type << " " << declarator << " = "
     << value << ";\n";
}

std::string InstancePrinter::extents(StringRef expression) {
  auto word = [&](StringRef name) -> std::string {
    for (const Named &operand : kernel.operands)
      if (operand.name == name)
        return operand.is("mayBeNull") && isStatic ? "false" : "true";
    const Named &member = *find_if(members, [&](const Named &named) { return named.name == name; });
    StringRef length = member.get("length");
    if (!length.empty())
      return (name + "_of<" + extents(length) + ">(p)").str();
    // Named by its type, a static member is a constant wherever it is said.
    return ((isStatic || member.is("isStatic") ? "params::" : "p.") + name).str();
  };
  auto same = [](StringRef text) { return text.str(); };
  NamedList known = members;
  known.insert(known.end(), kernel.operands.begin(), kernel.operands.end());
  return kernel.translate(expression, known, {word, same, same});
}

std::string InstancePrinter::type(StringRef expression) {
  auto word = [&](StringRef name) -> std::string {
    for (const Named &functor : kernel.functors)
      if (functor.name == name)
        return "tag<" + getLoaded(functor) + ">()";
    for (const Named &argument : kernel.arguments)
      if (argument.name == name)
        return (argument.get("cppType") == "class" ? "tag<" : "constant<") + getArgument(argument) +
               ">()";
    for (const Named &operand : kernel.operands)
      if (operand.get("type") == name)
        return "tag<" + getElement(operand) + ">()";
    return name.str();
  };
  auto same = [](StringRef text) { return text.str(); };
  return "decltype(" + kernel.translate(expression, kernel.typeNames(), {word, same, same}) + ")";
}

/// The type that the type variable stands for in this test.
std::string InstancePrinter::getElement(const Named &operand) {
  StringRef variable = operand.get("type");
  if (any_of(variable, isLower))
    return variable.str();
  for (const Named &other : kernel.operands)
    if (other.get("type") == variable)
      if (auto types = other.record->getValueAsListOfStrings("types");
          !types.empty() && !is_contained(types, "float"))
        return types.front().str();
  return "float";
}

std::string InstancePrinter::getOperand(const Named &operand) {
  std::string element = getElement(operand);
  bool isRead = operand.kind() == "In";
  if (operand.is("mayBeNull") && isStatic)
    return "static_cast<" + std::string(isRead ? "const " : "") + element + " *>(nullptr)";
  return "c.memory<" + std::string(isRead ? "const " : "") + element + ">()";
}

std::string InstancePrinter::getFunctor(const Named &functor) {
  std::string rank = extents(functor.get("indexRank"));
  if (functor.kind() == "Load")
    return "c.load<" + getLoaded(functor) + ", " + rank + ">(\"" + functor.name.str() + "\")";
  if (functor.kind() == "Apply")
    return "checked_apply<" + rank + ", " + type(functor.get("value")) + ">()";
  return isStatic ? "discard()"
                  : "checked_store<" + rank + ", " + type(functor.get("value")) + ">()";
}

std::string InstancePrinter::getScratch() {
  std::vector<std::string> types;
  for (StringRef name : kernel.record.getValueAsListOfStrings("scratchTypes")) {
    for (const Named &argument : kernel.arguments)
      if (argument.name == name)
        types.push_back(getArgument(argument));
    for (const Named &operand : kernel.operands)
      if (operand.name == name)
        types.push_back(getElement(operand));
    for (const Named &functor : kernel.functors)
      if (functor.name == name)
        types.push_back(getLoaded(functor));
  }
  return (kernel.name() + "_scratch<" + join(types, ", ") + ">(p, 1)").str();
}

void InstancePrinter::print() {
  std::vector<std::string> arguments, list{"e", "p"};
  for (const Named &argument : kernel.arguments)
    arguments.push_back(getArgument(argument));
  std::string callee =
      kernel.name().str() + (arguments.empty() ? "" : "<" + join(arguments, ", ") + ">");
  std::string space = (kernel.name() + (isStatic    ? "_static"
                                        : isCounted ? "_counted"
                                                    : "_of_form_" + Twine(form)))
                          .str();
  os << "\nnamespace " << space << " {\nstruct members {\n";
  for (const Named &param : members)
    if (hasMember(param))
      printMember(param);
  if (isCounted)
    printCounts();
  os << "};\n} // namespace " << space << "\n";
  for (const Named &operand : kernel.operands)
    list.push_back(getOperand(operand));
  for (const Named &functor : kernel.functors)
    if (!functor.is("isOptional") || isStatic)
      list.push_back(getFunctor(functor));
  os << "TEST_CASE(\"record of " << callee
     << (isStatic    ? ", static members"
         : isCounted ? ", counted extents"
                     : "")
     << "\", \"[records]\") {\n  using params = " << space << "::members;\n"
     << (isCounted ? "  params p{};\n  call c;\n  c.count(p);\n"
                   : "  const params p{};\n  call c;\n");
  if (kernel.record.getValueAsBit("takesScratch"))
    os << "  CHECK(" << getScratch() << " >= 0);\n";
  os << "  c.run(" << extents(kernel.record.getValueAsString("launches"))
     << ", [&](exec &e) {\n    target::" << callee << "(" << join(list, ", ") << ");\n  });\n";
  for (const Named &load : kernel.functorsOf("Load"))
    os << "  CHECK(c.most_loads(\"" << load.name << "\") <= " << extents(load.get("times"))
       << ");\n";
  os << "}\n";
}

static void printHeld(const Template &kernel, raw_ostream &os) {
  std::vector<StringRef> held = kernel.record.getValueAsListOfStrings("holds");
  if (held.empty())
    return;
  os << "\n[[maybe_unused]] void " << kernel.name() << "_holds() {\n  using namespace target;\n";
  for (StringRef condition : held)
    os << "  static_assert(" << condition << ", \"as its record says\");\n";
  os << "}\n";
}

static void emitInstances(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Calls of kernel templates", os, records);
  for (const Template &kernel : readTemplates(records)) {
    if (kernel.sets().empty())
      continue;
    size_t forms = 1;
    for (const Named &argument : kernel.arguments)
      forms = std::max(forms, argument.record->getValueAsListOfStrings("forms").size());
    os << "\n#if defined(CAMEO_TEST_"
       << join(map_range(kernel.sets(), [](StringRef set) { return set.upper(); }),
               ") || defined(CAMEO_TEST_")
       << ")\n#include CAMEO_TEMPLATE(" << kernel.header()
       << ")\nnamespace cameo::test {\nnamespace {\n";
    printHeld(kernel, os);
    for (size_t form = 0; form < forms; ++form)
      InstancePrinter(os, kernel, form, Members::Ordinary).print();
    InstancePrinter(os, kernel, 0, Members::Static).print();
    if (kernel.record.getValueAsBit("takesCounts")) {
      os << "#if defined(CAMEO_TEST_CUDA)\n";
      InstancePrinter(os, kernel, 0, Members::Counted).print();
      os << "#endif\n";
    }
    os << "\n} // namespace\n} // namespace cameo::test\n#endif\n";
  }
}

static TableGen::Emitter::Opt registration("gen-template-instances", emitInstances,
                                           "Test cases that call every kernel template");
