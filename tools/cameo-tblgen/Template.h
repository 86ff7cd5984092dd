// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of codegen_templates/records as the backends read them.

#ifndef CAMEO_TOOLS_TBLGEN_TEMPLATE_H
#define CAMEO_TOOLS_TBLGEN_TEMPLATE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

namespace cameo::tblgen {

using llvm::StringRef;

/// `Class:$name` of a dag.
struct Named {
  StringRef name;
  const llvm::Record *record;

  StringRef get(StringRef field) const { return record->getValueAsString(field); }
  bool is(StringRef field) const { return record->getValueAsBit(field); }
  StringRef kind() const { return get("kind"); }
};
using NamedList = std::vector<Named>;

NamedList readDag(const llvm::Record &record, StringRef field);
/// The names of a record's kernel sets.
std::vector<StringRef> readSets(const llvm::Record &record);

/// Members of p that builders set together.
struct Group {
  StringRef method, type;
  NamedList members;
};

/// How a backend writes the words of an expression.
struct Spelling {
  llvm::function_ref<std::string(StringRef)> word, integer, function;
};

struct Template {
  explicit Template(const llvm::Record &record);

  StringRef name() const { return record.getName(); }
  StringRef header() const { return record.getValueAsString("header"); }
  std::vector<StringRef> sets() const;
  bool isIn(StringRef set) const;
  /// Prose without the indentation it has in the record.
  std::vector<std::string> description() const;
  /// The functors of one kind, in order.
  NamedList functorsOf(StringRef kind) const;
  /// The operands that stand among the inputs, or among the outputs.
  NamedList inputs() const;
  NamedList outputs() const;
  /// Members of groups, then the template's own.
  NamedList members() const;

  /// An expression in C++. Each word that is no function must be one of `known`; the rest is for
  /// the C++ compiler to refuse.
  std::string translate(StringRef expression, const NamedList &known,
                        const Spelling &spelling) const;
  /// Names that expressions of types may use: functors, template arguments, and operands by their
  /// type variables.
  NamedList typeNames() const;

  const llvm::Record &record;
  NamedList arguments, params, operands, functors;
  std::vector<Group> groups;
};

/// All templates, by name.
std::vector<Template> readTemplates(const llvm::RecordKeeper &records);

/// `outer_rank` as OuterRank or outerRank; names in capitals as kind.
std::string toCamelCase(StringRef name, bool capitalise);
/// `{"a", "b"}`.
std::string quoteList(const std::vector<StringRef> &words);

} // namespace cameo::tblgen

#endif // CAMEO_TOOLS_TBLGEN_TEMPLATE_H
