// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BuildCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

constexpr uint64_t kDefaultMegabytes = 4096;

std::string getEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string getNotePath(const std::string &file) { return file + ".sum"; }

/// Size and hash of a file, as its note has them; "" when it cannot be read.
std::string describe(const std::string &file) {
  auto buffer =
      llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return "";
  StringRef content = (*buffer)->getBuffer();
  return fmt::format("{} {:016x}\n", content.size(), llvm::xxHash64(content));
}

/// An archive, program or library, not a lock or a folder under work.
bool isEntry(StringRef name) {
  return (name.starts_with("runtime-") || name.starts_with("program-") ||
          name.starts_with("library-")) &&
         !name.ends_with(".lock") && !name.ends_with(".sum");
}

struct Entry {
  std::string path;
  uint64_t bytes;
  timespec used;
};

std::vector<Entry> listEntries() {
  std::vector<Entry> entries;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(BuildCache::getFolder(), error), end;
       at != end && !error; at.increment(error)) {
    struct stat status;
    if (isEntry(llvm::sys::path::filename(at->path())) && ::stat(at->path().c_str(), &status) == 0)
      entries.push_back({at->path(), static_cast<uint64_t>(status.st_size), status.st_mtim});
  }
  return entries;
}

} // namespace

std::string BuildCache::getFolder() {
  std::string folder = getEnvironment("CAMEO_CACHE");
  if (!folder.empty())
    return folder;
  folder = getEnvironment("XDG_CACHE_HOME");
  if (!folder.empty())
    return folder + "/cameo";
  folder = getEnvironment("HOME");
  if (!folder.empty())
    return folder + "/.cache/cameo";
  folder = getEnvironment("TMPDIR");
  return fmt::format("{}/cameo-{}", folder.empty() ? "/tmp" : folder, ::getuid());
}

std::optional<Diagnostic> BuildCache::open() {
  constexpr const char *hint = "CAMEO_CACHE names another folder";
  std::string folder = getFolder();
  auto fail = [&](const std::string &problem, std::string help = hint) {
    return Diagnostic{ExitClass::Io, "cameo", "",
                      fmt::format("the cache {} {}", folder, escapeText(problem, 400)),
                      std::move(help)};
  };
  StringRef parent = llvm::sys::path::parent_path(folder);
  std::error_code error;
  if (!parent.empty())
    error = llvm::sys::fs::create_directories(parent);
  if (error)
    return fail("cannot be made: " + error.message());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(std::string("cannot be made: ") + std::strerror(errno));
  // A link that another has put there is as bad as a folder.
  struct stat link, status;
  if (::lstat(folder.c_str(), &link) != 0 || ::stat(folder.c_str(), &status) != 0)
    return fail(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISDIR(status.st_mode))
    return fail("is no folder");
  for (const struct stat &each : {link, status})
    if (each.st_uid != ::geteuid())
      return fail(fmt::format("belongs to user {}, and programs in it are executed", each.st_uid));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail("may be written by others, and programs in it are executed",
                fmt::format("chmod go-w, if nobody has; or {}", hint));
  return std::nullopt;
}

std::optional<Diagnostic> BuildCache::readLimit(uint64_t &bytes) {
  std::string text = getEnvironment("CAMEO_CACHE_SIZE");
  uint64_t megabytes = kDefaultMegabytes;
  if (!text.empty() && (!llvm::to_integer(text, megabytes, 10) || megabytes >> 40 != 0))
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      "CAMEO_CACHE_SIZE " + quoteText(text) + " is no number of MiB", ""};
  bytes = megabytes << 20;
  return std::nullopt;
}

bool BuildCache::holds(const std::string &file) {
  auto note = llvm::MemoryBuffer::getFile(getNotePath(file));
  if (!note || (*note)->getBufferSize() == 0 || (*note)->getBuffer() != describe(file))
    return false;
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return true;
}

std::error_code BuildCache::add(const std::string &made, const std::string &file) {
  std::string note = getNotePath(made);
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(note, error);
    if (error)
      return error;
    stream << describe(made);
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  // A note without its file, or with another, is seen to be wrong.
  if (!error)
    error = llvm::sys::fs::rename(note, getNotePath(file));
  return error ? error : llvm::sys::fs::rename(made, file);
}

void BuildCache::trim(uint64_t limit) {
  std::vector<Entry> entries = listEntries();
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec) > std::tie(b.used.tv_sec, b.used.tv_nsec);
  });
  uint64_t bytes = 0;
  for (size_t number = 0; number < entries.size(); ++number) {
    bytes += entries[number].bytes;
    // The last one used is in use.
    if (number == 0 || bytes <= limit)
      continue;
    for (const std::string &path :
         {entries[number].path, getNotePath(entries[number].path), entries[number].path + ".lock"})
      (void)llvm::sys::fs::remove(path);
  }
}
