// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckFile.h"

#include "BuildCache.h"
#include "Support/InputFile.h"
#include "Support/NearNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <fmt/format.h>
#include <set>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

constexpr int64_t kMaxFileBytes = 16 << 20;

StringRef toRef(std::string_view text) { return {text.data(), text.size()}; }

/// The keys of a table, taken one after the other; what is wrong first is what is said.
class TableReader {
public:
  TableReader(const toml::table &table, std::string file, std::string title)
      : table(table), file(std::move(file)), title(std::move(title)) {}

  /// Null where the key is not there.
  const toml::node *take(StringRef key) {
    known.push_back(key);
    return table.get(std::string_view(key.data(), key.size()));
  }
  void fail(const toml::source_region &where, std::string text, std::string hint = "") {
    if (!problem)
      problem = Diagnostic{ExitClass::Usage, file, fmt::format("line {}", where.begin.line),
                           std::move(text), std::move(hint)};
  }
  void fail(StringRef key, const toml::node &node, StringRef need) {
    fail(node.source(), fmt::format("{} cannot be read (need {})", key.str(), need.str()));
  }
  template <typename T> void read(StringRef key, T &value, StringRef need) {
    const toml::node *node = take(key);
    if (!node)
      return;
    // A truth would do as a number.
    bool isTruth = node->is_boolean();
    if (std::optional<T> found = node->value<T>(); found && isTruth == std::is_same_v<T, bool>)
      value = std::move(*found);
    else
      fail(key, *node, need);
  }
  /// A text, or several.
  void readList(StringRef key, std::vector<std::string> &texts);
  /// The first thing that was wrong, or a key that nobody has taken.
  std::optional<Diagnostic> finish();

private:
  const toml::table &table;
  std::string file, title;
  llvm::SmallVector<StringRef> known;
  std::optional<Diagnostic> problem;
};

void TableReader::readList(StringRef key, std::vector<std::string> &texts) {
  const toml::node *node = take(key);
  if (!node)
    return;
  texts.clear();
  auto add = [&](const toml::node &one) {
    if (const auto *text = one.as_string())
      texts.push_back(text->get());
    else
      fail(key, one, "a text, or an array of texts");
  };
  if (const toml::array *array = node->as_array())
    for (const toml::node &one : *array)
      add(one);
  else
    add(*node);
}

std::optional<Diagnostic> TableReader::finish() {
  for (auto &&[key, node] : table)
    if (StringRef name = toRef(key.str()); !llvm::is_contained(known, name))
      fail(key.source(), fmt::format("there is no key {} {}", quoteText(name), title),
           suggestNear(name, known, "there are " + llvm::join(known, ", ")));
  return problem;
}

/// Keys of [defaults] or of a [[model]]. A model has those of the defaults that it does not set
/// itself.
struct ModelKeys {
  std::vector<std::string> targets{"cpu"}, data, against, flags, verifyFlags;
  std::map<std::string, std::string> dims;
  std::optional<int64_t> seeds;
  CheckedModel model;
};

class FileReader {
public:
  FileReader(std::string path, CheckFile &result) : path(std::move(path)), result(result) {}

  std::optional<Diagnostic> read(const toml::table &root);

private:
  void readKeys(TableReader &reader, ModelKeys &keys) const;
  void readDims(TableReader &reader, ModelKeys &keys) const;
  void readBudgets(TableReader &reader, const toml::table &table, const std::string &target,
                   ModelKeys &keys) const;
  void addModels(TableReader &reader, const toml::table &table, ModelKeys keys);

  std::string path;
  CheckFile &result;
  std::set<std::string> names;
};

void FileReader::readDims(TableReader &reader, ModelKeys &keys) const {
  const toml::node *node = reader.take("dims");
  if (!node)
    return;
  constexpr const char *need = "a table such as { batch = 4, width = \"1..64\" }";
  const toml::table *dims = node->as_table();
  if (!dims)
    return reader.fail("dims", *node, need);
  for (auto &&[name, value] : *dims)
    if (const auto *number = value.as_integer())
      keys.dims[std::string(name.str())] = std::to_string(number->get());
    else if (const auto *text = value.as_string())
      keys.dims[std::string(name.str())] = text->get();
    else
      reader.fail("dims", value, need);
}

/// Tables within are of the target that is their key.
void FileReader::readBudgets(TableReader &reader, const toml::table &table,
                             const std::string &target, ModelKeys &keys) const {
  for (auto &&[key, value] : table) {
    std::string name(key.str());
    if (const toml::table *inner = value.as_table(); inner && target.empty()) {
      if (!findPlatform(name))
        reader.fail(key.source(), "budgets are of no target " + quoteText(name));
      readBudgets(reader, *inner, name, keys);
      continue;
    }
    std::string limit;
    if (const auto *number = value.as_integer())
      limit = std::to_string(number->get());
    else if (const auto *share = value.as_floating_point())
      limit = fmt::format("{}", share->get());
    else if (const auto *text = value.as_string())
      limit = text->get();
    Budget budget;
    if (auto problem = readBudget("budgets: " + name, name, limit, budget)) {
      reader.fail(key.source(), problem->problem, problem->hint);
      continue;
    }
    std::vector<Budget> &budgets = keys.model.budgets[target];
    auto same = [&](const Budget &one) { return one.measure == budget.measure; };
    if (auto given = llvm::find_if(budgets, same); given != budgets.end())
      *given = budget;
    else
      budgets.push_back(budget);
  }
}

void FileReader::readKeys(TableReader &reader, ModelKeys &keys) const {
  reader.readList("target", keys.targets);
  reader.readList("data", keys.data);
  reader.readList("against", keys.against);
  reader.readList("flags", keys.flags);
  reader.readList("verify", keys.verifyFlags);
  readDims(reader, keys);
  int64_t seeds = keys.seeds.value_or(-1), threads = keys.model.how.threads;
  reader.read("seeds", seeds, "a number");
  if (seeds >= 0)
    keys.seeds = seeds;
  reader.read("numbers", keys.model.hasNumbers, "true or false");
  reader.read("seconds", keys.model.how.seconds, "a number");
  reader.read("threads", threads, "a number");
  keys.model.how.threads = static_cast<int>(threads);
  reader.read("cxxflags", keys.model.how.cxxFlags, "a text");
  if (const toml::node *node = reader.take("budgets")) {
    if (const toml::table *table = node->as_table())
      readBudgets(reader, *table, "", keys);
    else
      reader.fail("budgets", *node, "a table of measures");
  }
}

void FileReader::addModels(TableReader &reader, const toml::table &table, ModelKeys keys) {
  std::vector<std::string> paths;
  std::string name;
  reader.readList("path", paths);
  reader.read("name", name, "a text");
  readKeys(reader, keys);
  if (paths.empty())
    reader.fail(table.source(), "a [[model]] has no path");
  if (paths.size() > 1 && !name.empty())
    reader.fail(table.source(), "a name is of one model, and there are several paths");
  CheckedModel &model = keys.model;
  for (const std::string &target : keys.targets)
    if (const Platform *platform = findPlatform(target))
      model.platforms.push_back(platform);
    else
      reader.fail(table.source(), "there is no target " + quoteText(target),
                  "cpu, cuda or cuda-emu");
  for (const auto &[dim, value] : keys.dims)
    model.flags.push_back(fmt::format("--dim={}={}", dim, value));
  llvm::append_range(model.flags, keys.flags);
  for (const std::string &data : keys.data)
    model.verifyFlags.push_back("--data=" + data);
  for (const std::string &peer : keys.against)
    model.verifyFlags.push_back("--against=" + peer);
  if (keys.seeds)
    model.verifyFlags.push_back(fmt::format("--seeds={}", *keys.seeds));
  llvm::append_range(model.verifyFlags, keys.verifyFlags);
  for (const std::string &one : paths) {
    model.path = one;
    model.name = name.empty() ? llvm::sys::path::stem(one).str() : name;
    if (StringRef(model.name).contains('/') || model.name.empty())
      reader.fail(table.source(), quoteText(model.name) + " is no name: reports are files of it");
    if (!names.insert(model.name).second)
      reader.fail(table.source(), "two models are called " + quoteText(model.name),
                  "name = \"..\" gives one another name");
    result.models.push_back(model);
  }
}

std::optional<Diagnostic> FileReader::read(const toml::table &root) {
  TableReader top(root, path, "at the top");
  top.read("baseline", result.baseline, "a text");
  ModelKeys defaults;
  const toml::node *given = top.take("defaults"), *models = top.take("model");
  if (given && !given->as_table())
    top.fail("defaults", *given, "a table [defaults]");
  if (given && given->as_table()) {
    TableReader reader(*given->as_table(), path, "in [defaults]");
    readKeys(reader, defaults);
    if (auto problem = reader.finish())
      return problem;
  }
  const toml::array *list = models ? models->as_array() : nullptr;
  if (models && (!list || !list->is_array_of_tables()))
    top.fail("model", *models, "tables [[model]]");
  else if (list)
    for (const toml::node &one : *list) {
      TableReader reader(*one.as_table(), path, "in [[model]]");
      addModels(reader, *one.as_table(), defaults);
      if (auto problem = reader.finish())
        return problem;
    }
  if (auto problem = top.finish())
    return problem;
  if (result.models.empty())
    return Diagnostic{ExitClass::Usage, path, "", "names no model",
                      "[[model]] with a path adds one"};
  return std::nullopt;
}

} // namespace

std::vector<Budget> CheckedModel::listBudgets(const Platform &platform) const {
  std::vector<Budget> list;
  for (const std::string &target : {std::string(), platform.name.str()})
    if (auto found = budgets.find(target); found != budgets.end())
      for (const Budget &budget : found->second) {
        llvm::erase_if(list, [&](const Budget &one) { return one.measure == budget.measure; });
        list.push_back(budget);
      }
  llvm::sort(list, [](const Budget &a, const Budget &b) { return a.measure < b.measure; });
  return list;
}

MeasureTask CheckedModel::makeTask(const Platform &platform) const {
  return {path, &platform, flags, how};
}

std::optional<Diagnostic> cameo::cli::enterCheckFile(const std::string &path, CheckFile &file) {
  std::unique_ptr<llvm::MemoryBuffer> content;
  if (auto problem = readInputFile(path, kMaxFileBytes, content))
    return problem;
  StringRef text = content->getBuffer();
  toml::parse_result parsed = toml::parse(std::string_view(text.data(), text.size()));
  if (!parsed) {
    const toml::parse_error &error = parsed.error();
    return Diagnostic{ExitClass::Usage, path, fmt::format("line {}", error.source().begin.line),
                      "is no TOML: " + escapeText(toRef(error.description()), 400), ""};
  }
  if (auto problem = FileReader(path, file).read(parsed.table()))
    return problem;
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    return std::nullopt;
  std::string cache = BuildCache::getFolder();
  makeAbsolute(cache);
  ::setenv("CAMEO_CACHE", cache.c_str(), 1);
  if (std::error_code error = llvm::sys::fs::set_current_path(folder))
    return Diagnostic{ExitClass::Io, folder.str(), "", "cannot be entered: " + error.message(), ""};
  return std::nullopt;
}

void cameo::cli::makeAbsolute(std::string &path) {
  if (path.empty() || path == "-")
    return;
  llvm::SmallString<256> absolute(path);
  (void)llvm::sys::fs::make_absolute(absolute);
  path = absolute.str().str();
}

std::string cameo::cli::getRecordFolder(const std::string &folder, const std::string &name,
                                        const std::string &target) {
  return fmt::format("{}/{}.{}", folder, name, target);
}

std::optional<Diagnostic> cameo::cli::readRecord(const std::string &folder, Record &record) {
  llvm::json::Object report;
  std::string file = folder + "/record.json";
  if (auto problem = readJsonObject(file, report))
    return problem;
  if (!report.get("measures") || !record.add(report))
    return Diagnostic{ExitClass::Malformed, file, "", "is no record", "cameo baseline writes one"};
  if (llvm::sys::fs::is_directory(folder + "/data"))
    record.data = folder + "/data";
  return std::nullopt;
}
