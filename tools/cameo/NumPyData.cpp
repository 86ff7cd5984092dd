// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NumPyData.h"

#include "Support/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
using namespace llvm::support::endian;

namespace {

// The parts of a zip file, by PKWARE's APPNOTE: sizes and offsets of what is read of each.
constexpr uint32_t kEndMark = 0x06054b50, kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30, kMaxCommentBytes = 0xffff;
constexpr uint32_t kIn64Bits = 0xffffffff;

struct Entry {
  StringRef name;
  uint16_t method = 0;
  uint32_t checksum = 0;
  uint64_t bytes = 0, offset = 0;
};

/// Reads an archive in memory; whatever it holds, nothing outside it is touched.
class Archive {
public:
  explicit Archive(StringRef file) : file(file) {}

  /// The entries of its table; what is wrong with it, or null.
  const char *readTable(std::vector<Entry> &entries) const;
  /// The bytes of an entry; what is wrong with it, or null.
  const char *readEntry(const Entry &entry, StringRef &content) const;

private:
  /// The record of `bytes` at `offset`; empty where there is none that begins with the mark.
  StringRef getRecord(uint64_t offset, size_t bytes, uint32_t mark) const {
    if (offset > file.size() || file.size() - offset < bytes)
      return "";
    StringRef record = file.substr(offset, bytes);
    return read32le(record.data()) == mark ? record : "";
  }

  StringRef file;
};

const char *Archive::readTable(std::vector<Entry> &entries) const {
  StringRef end;
  for (size_t back = kEndBytes; back <= file.size() && back <= kEndBytes + kMaxCommentBytes; ++back)
    if (!(end = getRecord(file.size() - back, kEndBytes, kEndMark)).empty())
      break;
  if (end.empty())
    return "is no .npz file";
  uint64_t offset = read32le(end.data() + 16), total = 0;
  for (unsigned left = read16le(end.data() + 10); left > 0; --left) {
    StringRef record = getRecord(offset, kEntryBytes, kEntryMark);
    if (record.empty())
      return "is cut";
    size_t name = read16le(record.data() + 28),
           rest = size_t{read16le(record.data() + 30)} + read16le(record.data() + 32);
    Entry &entry = entries.emplace_back();
    entry.method = read16le(record.data() + 10);
    entry.checksum = read32le(record.data() + 16);
    entry.bytes = read32le(record.data() + 20);
    entry.offset = read32le(record.data() + 42);
    entry.name = file.substr(offset + kEntryBytes, name);
    if (entry.bytes == kIn64Bits || entry.offset == kIn64Bits)
      return "holds arrays of 4 GiB and more, which are not read from archives";
    // Entries that share their bytes would be large beyond the file.
    if ((total += entry.bytes) > file.size())
      return "is damaged: its table names more than it holds";
    offset += kEntryBytes + name + rest;
  }
  return nullptr;
}

const char *Archive::readEntry(const Entry &entry, StringRef &content) const {
  if (entry.method != 0)
    return "is compressed, which is not read (numpy.savez writes without)";
  StringRef local = getRecord(entry.offset, kLocalBytes, kLocalMark);
  if (local.empty())
    return "is cut";
  uint64_t start =
      entry.offset + kLocalBytes + read16le(local.data() + 26) + read16le(local.data() + 28);
  if (start > file.size() || file.size() - start < entry.bytes)
    return "is cut";
  content = file.substr(start, entry.bytes);
  bool isWhole = llvm::crc32(llvm::arrayRefFromStringRef(content)) == entry.checksum;
  return isWhole ? nullptr : "is damaged (another checksum)";
}

/// Where a name is in a list, if it is.
std::optional<int64_t> find(const std::vector<std::string> &names, StringRef name) {
  auto at = llvm::find(names, name);
  return at == names.end() ? std::nullopt : std::optional<int64_t>(at - names.begin());
}

} // namespace

std::optional<Diagnostic> cameo::cli::readNpz(const std::string &path, DataSet &data) {
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (auto problem = readInputFile(path, kMaxDataBytes, file))
    return problem;
  Archive archive(file->getBuffer());
  std::vector<Entry> entries;
  if (const char *problem = archive.readTable(entries))
    return Diagnostic{ExitClass::Malformed, path, "", problem, ""};
  for (const Entry &entry : entries) {
    StringRef content, name = entry.name;
    if (const char *problem = archive.readEntry(entry, content))
      return Diagnostic{ExitClass::Malformed, path, escapeText(name), problem, ""};
    if (!name.consume_back(".npy"))
      return Diagnostic{ExitClass::Malformed, path, escapeText(name), "is no array", ""};
    if (auto problem = parseNpy(content, path + ": " + escapeText(name), data.named[name.str()]))
      return problem;
  }
  return std::nullopt;
}

std::optional<Diagnostic> cameo::cli::resolveNames(DataSet &data, const Signature &signature,
                                                   const std::vector<std::string> &inputs,
                                                   const std::vector<std::string> &outputs,
                                                   bool needsOutputs) {
  for (auto &[name, tensor] : data.named) {
    std::optional<int64_t> input = find(inputs, name), output = find(outputs, name);
    if (!input && !output) {
      input = getDataNumber(name, "input_");
      output = getDataNumber(name, "output_");
    }
    if (!input && !output)
      return Diagnostic{
          ExitClass::Usage, data.name, "",
          fmt::format("has data for {}, which is no input or output of the model", quoteText(name)),
          "cameo inspect lists both; input_K and output_K name them by number"};
    // An input that is an output as well has one value for both.
    auto take = [&, &tensor = tensor](std::optional<int64_t> number,
                                      const std::vector<PortType> &ports,
                                      std::map<int64_t, TensorData> &side) {
      if (!number)
        return true;
      auto [entry, isNew] = side.emplace(*number, tensor);
      if (static_cast<size_t>(*number) < ports.size())
        takeAs(ports[static_cast<size_t>(*number)].elementType, entry->second);
      return isNew;
    };
    if (!take(input, signature.inputs, data.inputs) ||
        !take(output, signature.outputs, data.outputs))
      return Diagnostic{
          ExitClass::Usage, data.name, "",
          fmt::format("has data for {} twice, by name and by number", quoteText(name)), ""};
  }
  data.named.clear();
  if (needsOutputs && data.outputs.empty() && data.expectedStatus.empty())
    return Diagnostic{ExitClass::Usage, data.name, "", "has no output to compare with", ""};
  return std::nullopt;
}
