// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/Sources.h"

#include "embeddedSources.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/xxhash.h"

#include <vector>

using namespace cameo;
using llvm::StringRef;

namespace {

/// By the path in this repository.
const std::map<StringRef, StringRef> &getFiles() {
  static const std::map<StringRef, StringRef> files = [] {
    std::map<StringRef, StringRef> table;
    for (const EmbeddedFile &file : embeddedSources)
      table[file.path] = StringRef(file.data, file.size);
    return table;
  }();
  return files;
}

/// Where the file is that a program includes as `cameo/...`; empty when it is none of ours.
StringRef findIncluded(StringRef name) {
  StringRef inside = name;
  if (!inside.consume_front("cameo/"))
    return "";
  for (StringRef root : {"runtime/include/cameo/", "codegen_templates/", "runtime/"}) {
    auto found = getFiles().find((root + inside).str());
    if (found != getFiles().end())
      return found->first;
  }
  return "";
}

/// The names between quotes of the includes of `text`.
std::vector<StringRef> getIncludes(StringRef text) {
  std::vector<StringRef> names;
  for (StringRef line : llvm::split(text, '\n'))
    if (line.consume_front("#include \""))
      names.push_back(line.take_until([](char c) { return c == '"'; }));
  return names;
}

} // namespace

std::string cameo::fillSkeleton(StringRef name, const std::map<std::string, std::string> &values) {
  auto found = getFiles().find(("codegen_templates/skeleton/" + name).str());
  if (found == getFiles().end())
    llvm::report_fatal_error("a skeleton is missing in this build");
  std::string filled;
  StringRef rest = found->second;
  while (!rest.empty()) {
    auto [before, after] = rest.split("{{");
    filled += before;
    if (after.empty())
      break;
    auto [key, tail] = after.split("}}");
    rest = tail;
    bool isStart = key.consume_front("#");
    if (!isStart && !key.consume_front("/")) {
      filled += values.at(key.str());
      continue;
    }
    if (isStart && values.at(key.str()).empty())
      rest = rest.split(("{{/" + key + "}}").str()).second;
    // A tag on a line of its own leaves no line; one behind text leaves that line's end.
    if (filled.empty() || filled.back() == '\n')
      rest.consume_front("\n");
  }
  return filled;
}

std::string cameo::getSourcesId() {
  static const std::string id = [] {
    std::string parts;
    for (auto [path, text] : getFiles())
      parts += (path + "\n" + llvm::utohexstr(llvm::xxHash64(text)) + "\n").str();
    return llvm::utohexstr(llvm::xxHash64(parts), /*LowerCase=*/true, /*Width=*/16).substr(0, 8);
  }();
  return id;
}

std::map<std::string, StringRef>
cameo::collectSources(llvm::ArrayRef<StringRef> texts,
                      llvm::ArrayRef<llvm::StringLiteral> folders) {
  std::map<std::string, StringRef> sources;
  std::vector<std::string> pending;
  // An include names a file from the root, or one beside the file that has it.
  auto addIncludes = [&](StringRef text, StringRef folder) {
    for (StringRef name : getIncludes(text))
      pending.push_back(name.starts_with("cameo/") ? name.str() : (folder + name).str());
  };
  for (StringRef text : texts)
    addIncludes(text, "");
  for (StringRef folder : folders)
    for (auto [path, text] : getFiles()) {
      StringRef inside = path;
      if (inside.consume_front("runtime/") && inside.starts_with((folder + "/").str()))
        pending.push_back(("cameo/" + inside).str());
    }
  while (!pending.empty()) {
    std::string name = std::move(pending.back());
    pending.pop_back();
    StringRef path = findIncluded(name);
    if (path.empty())
      continue;
    StringRef text = getFiles().find(path)->second;
    if (sources.emplace(name, text).second)
      addIncludes(text, StringRef(name).take_front(name.rfind('/') + 1));
  }
  return sources;
}

std::set<std::string> cameo::collectFunctions(llvm::ArrayRef<StringRef> texts) {
  std::set<std::string> functions;
  for (const auto &[path, text] : collectSources(texts, {}))
    // Text inside a namespace is not indented: `inline status error_dim(const char *node, ...`.
    for (StringRef line : llvm::split(text, '\n')) {
      if (line.empty() || !llvm::isAlpha(line.front()) || !line.contains('('))
        continue;
      StringRef declared = line.split('(').first;
      size_t end = declared.find_last_not_of("abcdefghijklmnopqrstuvwxyz0123456789_");
      StringRef function = end == StringRef::npos ? declared : declared.drop_front(end + 1);
      if (!function.empty())
        functions.insert(function.str());
    }
  return functions;
}
