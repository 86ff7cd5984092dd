// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Template.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

namespace cameo::tblgen {

static NamedList readDag(const Record &record, const DagInit &dag) {
  NamedList list;
  for (auto [value, name] : zip_equal(dag.getArgs(), dag.getArgNames())) {
    const auto *definition = dyn_cast<DefInit>(value);
    if (!definition || !name)
      PrintFatalError(record.getLoc(), "members are written as Class:$name");
    list.push_back({name->getValue(), definition->getDef()});
  }
  return list;
}

NamedList readDag(const Record &record, StringRef field) {
  return readDag(record, *record.getValueAsDag(field));
}

static void append(NamedList &list, const NamedList &more) {
  list.insert(list.end(), more.begin(), more.end());
}

static NamedList filter(const NamedList &list, function_ref<bool(const Named &)> isWanted) {
  NamedList wanted;
  copy_if(list, std::back_inserter(wanted), isWanted);
  return wanted;
}

Template::Template(const Record &record)
    : record(record), arguments(readDag(record, "arguments")), params(readDag(record, "params")),
      operands(readDag(record, "operands")), functors(readDag(record, "functors")) {
  for (const Record *group : record.getValueAsListOfDefs("groups"))
    groups.push_back({group->getValueAsString("method"), group->getValueAsString("cppType"),
                      readDag(*group, "members")});
}

std::vector<StringRef> readSets(const Record &record) {
  std::vector<StringRef> names;
  for (const Record *set : record.getValueAsListOfDefs("sets"))
    names.push_back(set->getValueAsString("name"));
  return names;
}

std::vector<StringRef> Template::sets() const { return readSets(record); }

bool Template::isIn(StringRef set) const { return is_contained(sets(), set); }

std::vector<std::string> Template::description() const {
  std::vector<std::string> text;
  for (StringRef line : split(record.getValueAsString("description").trim(), '\n'))
    text.push_back(line.trim().str());
  return text;
}

NamedList Template::functorsOf(StringRef kind) const {
  return filter(functors, [&](const Named &functor) { return functor.kind() == kind; });
}

NamedList Template::inputs() const {
  return filter(operands, [](const Named &operand) { return operand.kind() == "In"; });
}

NamedList Template::outputs() const {
  return filter(operands, [](const Named &operand) {
    return operand.kind() == "Out" || operand.kind() == "InPlace";
  });
}

NamedList Template::members() const {
  NamedList all;
  for (const Group &group : groups)
    append(all, group.members);
  append(all, params);
  return all;
}

NamedList Template::typeNames() const {
  NamedList all = functors;
  append(all, arguments);
  for (const Named &operand : operands)
    all.push_back({operand.get("type"), operand.record});
  return all;
}

std::string Template::translate(StringRef expression, const NamedList &known,
                                const Spelling &spelling) const {
  std::string text;
  while (!expression.empty()) {
    StringRef word = expression.take_while([](char c) { return isAlnum(c) || c == '_'; });
    if (word.empty()) {
      text += expression.front();
      expression = expression.drop_front();
      continue;
    }
    expression = expression.drop_front(word.size());
    auto isNamed = [&](const Named &named) { return named.name == word; };
    if (isDigit(word.front()))
      text += spelling.integer(word);
    else if (expression.starts_with("("))
      text += spelling.function(word);
    else if (any_of(known, isNamed))
      text += spelling.word(word);
    else
      PrintFatalError(record.getLoc(),
                      "an expression names '" + word + "', which is nothing of " + name());
  }
  return text;
}

std::vector<Template> readTemplates(const RecordKeeper &records) {
  std::vector<Template> templates;
  for (const Record *record : records.getAllDerivedDefinitions("KernelTemplate"))
    templates.emplace_back(*record);
  return templates;
}

std::string toCamelCase(StringRef name, bool capitalise) {
  // The operators' own, but arguments are named in capitals.
  std::string lower = none_of(name, isLower) ? name.lower() : name.str();
  return convertToCamelFromSnakeCase(lower, capitalise);
}

std::string quoteList(const std::vector<StringRef> &words) {
  return "{" +
         join(map_range(words, [](StringRef word) { return ("\"" + word + "\"").str(); }), ", ") +
         "}";
}

} // namespace cameo::tblgen
