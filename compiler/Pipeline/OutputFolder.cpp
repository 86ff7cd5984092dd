// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A temporary folder beside the target, written and synced, then moved there in one step: a rename
// where nothing is, an exchange where something is. Signals that end the program wait until it is
// one or the other.

#include "Pipeline/OutputFolder.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace cameo;
using llvm::StringRef;

namespace {

/// A folder of ours has a file whose name ends so.
constexpr llvm::StringLiteral kMark = ".plan.json";

/// Holds back SIGINT, SIGTERM and SIGHUP; they arrive when the object dies.
class SignalHold {
public:
  SignalHold() {
    sigemptyset(&held);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
      sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before);
  }
  SignalHold(const SignalHold &) = delete;
  SignalHold &operator=(const SignalHold &) = delete;
  ~SignalHold() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

  bool isPending() const {
    sigset_t pending;
    sigpending(&pending);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
      if (sigismember(&pending, signal) && !sigismember(&before, signal))
        return true;
    return false;
  }

private:
  sigset_t held, before;
};

Diagnostic makeError(StringRef path, StringRef problem) {
  return {ExitClass::Io, path.str(), "", problem.str(), ""};
}

Diagnostic makeSystemError(StringRef path, StringRef doing) {
  return makeError(path, (doing + ": " + strerror(errno)).str());
}

bool writeAll(int file, StringRef content) {
  while (!content.empty()) {
    ssize_t written = ::write(file, content.data(), std::min<size_t>(content.size(), 1 << 30));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    content = content.drop_front(static_cast<size_t>(written));
  }
  return true;
}

bool writeSynced(const std::string &path, StringRef content) {
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  bool written = writeAll(file, content) && ::fsync(file) == 0;
  int error = errno;
  ::close(file);
  errno = error;
  return written;
}

bool syncFolder(const std::string &path) {
  int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return false;
  // Some file systems cannot sync a folder, and say so.
  bool synced = ::fsync(folder) == 0 || errno == EINVAL;
  ::close(folder);
  return synced;
}

/// Removes what is below `folder` and itself, following no link.
void removeTree(int parent, const char *name) {
  if (::unlinkat(parent, name, 0) == 0)
    return;
  int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  if (DIR *entries = ::fdopendir(folder)) {
    while (dirent *entry = ::readdir(entries))
      if (StringRef(entry->d_name) != "." && StringRef(entry->d_name) != "..")
        removeTree(::dirfd(entries), entry->d_name);
    ::closedir(entries);
  } else {
    ::close(folder);
  }
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

/// Whether the folder may be replaced: it is empty, or we wrote it.
bool mayReplace(const std::string &path) {
  DIR *entries = ::opendir(path.c_str());
  if (!entries)
    return false;
  bool isEmpty = true, isOurs = false;
  while (dirent *entry = ::readdir(entries)) {
    StringRef name = entry->d_name;
    isEmpty &= name == "." || name == "..";
    isOurs |= name.ends_with(kMark);
  }
  ::closedir(entries);
  return isEmpty || isOurs;
}

/// Why nothing can be written to `path`, whether it is there or not.
std::optional<Diagnostic> checkTarget(const std::string &path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0)
    return errno == ENOENT ? std::nullopt
                           : std::optional(makeSystemError(path, "cannot write the folder"));
  if (S_ISLNK(status.st_mode))
    return makeError(path, "is a symbolic link, which would be replaced");
  if (!S_ISDIR(status.st_mode))
    return makeError(path, "exists and is no folder");
  if (!mayReplace(path))
    return makeError(path,
                     "exists and was not written by cameo; remove it, or name another folder");
  return std::nullopt;
}

std::string getParent(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool makeFolders(const std::string &root, StringRef file, std::set<std::string> &made) {
  for (size_t slash = file.find('/'); slash != StringRef::npos; slash = file.find('/', slash + 1)) {
    std::string folder = root + "/" + file.take_front(slash).str();
    if (made.insert(folder).second && ::mkdir(folder.c_str(), 0777) != 0)
      return false;
  }
  return true;
}

/// mkdtemp makes folders that only their owner may read.
bool openToOthers(const std::string &folder) {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return ::chmod(folder.c_str(), 0777 & ~mask) == 0;
}

/// Moves the finished folder to `path`; what was there is then at `temporary`.
std::optional<Diagnostic> moveInto(const std::string &temporary, const std::string &path) {
  // Whoever else writes the same folder changes what is there; each attempt looks again.
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto problem = checkTarget(path))
      return problem;
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0)
      return std::nullopt;
    // Where flags are not supported, a rename still replaces an empty folder, and only that.
    if (errno == EINVAL || errno == ENOSYS)
      if (::rename(temporary.c_str(), path.c_str()) == 0)
        return std::nullopt;
    if (errno == EEXIST || errno == ENOTEMPTY)
      if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0)
        return std::nullopt;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOENT)
      break;
  }
  return makeSystemError(path, "cannot write the folder");
}

} // namespace

std::optional<Diagnostic> cameo::writeFolder(const std::string &given, const EmittedFiles &files) {
  std::string path = StringRef(given).rtrim('/').str();
  if (path.empty())
    return makeError(given, "is no folder that can be written");
  if (auto problem = checkTarget(path))
    return problem;

  SignalHold hold;
  std::string parent = getParent(path);
  std::string temporary = parent + "/.cameo-XXXXXX";
  if (!::mkdtemp(temporary.data()))
    return makeSystemError(path, "cannot write the folder");
  // After an exchange this is what was there before.
  llvm::scope_exit remove([&] { removeTree(AT_FDCWD, temporary.c_str()); });

  std::set<std::string> folders;
  for (const auto &[name, content] : files) {
    if (hold.isPending())
      return makeError(path, "interrupted");
    if (!makeFolders(temporary, name, folders) || !writeSynced(temporary + "/" + name, content))
      return makeSystemError(path + "/" + name, "cannot be written");
  }
  for (const std::string &folder : folders)
    if (!syncFolder(folder))
      return makeSystemError(path, "cannot write the folder");
  if (!syncFolder(temporary) || !openToOthers(temporary))
    return makeSystemError(path, "cannot write the folder");
  if (auto problem = moveInto(temporary, path))
    return problem;
  // The folder is there and whole: that its name may not survive a power failure is no reason to
  // fail.
  (void)syncFolder(parent);
  return std::nullopt;
}

std::optional<Diagnostic> cameo::writeFile(const std::string &path, StringRef content) {
  // A link, a pipe or a device is written through; only files are replaced.
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    bool written = file >= 0 && writeAll(file, content);
    std::optional<Diagnostic> problem;
    if (!written)
      problem = makeSystemError(path, "cannot be written");
    if (file >= 0)
      ::close(file);
    return problem;
  }

  SignalHold hold;
  std::string temporary = getParent(path) + "/.cameo-XXXXXX";
  int file = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return makeSystemError(path, "cannot be written");
  mode_t mask = ::umask(0);
  ::umask(mask);
  bool written = writeAll(file, content) && ::fsync(file) == 0 && ::fchmod(file, 0666 & ~mask) == 0;
  ::close(file);
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0)
    return std::nullopt;
  Diagnostic problem = makeSystemError(path, "cannot be written");
  ::unlink(temporary.c_str());
  return problem;
}
