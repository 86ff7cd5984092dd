// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder is written beside the target and moved there in one step where nothing is. Where a
// folder of ours is, its list says which files are ours: those that changed are written aside, in
// the folder, and then renamed one by one, those that are gone removed, all others left alone. The
// list names the old and the new ones meanwhile, so that a program killed between two renames
// leaves a folder that the next one mends. An empty folder is replaced, or filled in the same way
// where that cannot be: the working folder, a mount point. Signals that can wait do; programs that
// write below one folder take turns. Nothing is synced: after a power failure one compiles again.

#include "Pipeline/OutputFolder.h"

#include "Support/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace cameo;
using llvm::StringRef;

namespace {

/// The list of the files that we wrote into a folder, one a line behind a comment.
constexpr llvm::StringLiteral kList = "cameo.files";
constexpr llvm::StringLiteral kListComment = "# What `cameo compile` wrote here, and will replace; "
                                             "nothing else in this folder is touched.\n";
/// Ours has a hundred lines.
constexpr int64_t kMaxListBytes = 16 << 20;

using Names = std::set<std::string, std::less<>>;

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

bool writeAll(int file, const FileContent &content) {
  return content.forEachPiece([&](StringRef piece) { return writeAll(file, piece); });
}

/// Some file systems say only here that they could not write.
bool closeWritten(int file, bool written) {
  int error = errno;
  if (::close(file) != 0 && written)
    return false;
  errno = error;
  return written;
}

bool writeNew(const std::string &path, const FileContent &content) {
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  return closeWritten(file, writeAll(file, content));
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

std::string getParent(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Calls `visit` with each folder that `file` is in, below `root`, outermost first, while it says
/// true.
bool visitFolders(const std::string &root, StringRef file,
                  llvm::function_ref<bool(const std::string &)> visit) {
  for (size_t slash = file.find('/'); slash != StringRef::npos; slash = file.find('/', slash + 1))
    if (!visit(root + "/" + file.take_front(slash).str()))
      return false;
  return true;
}

bool makeFolders(const std::string &root, StringRef file) {
  return visitFolders(root, file, [](const std::string &folder) {
    return ::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST;
  });
}

/// mkdtemp makes folders that only their owner may read.
bool openToOthers(const std::string &folder) {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return ::chmod(folder.c_str(), 0777 & ~mask) == 0;
}

/// Whether what comes next in `file` is `piece`.
bool readsSame(int file, StringRef piece, std::vector<char> &buffer) {
  while (!piece.empty()) {
    ssize_t size = ::read(file, buffer.data(), std::min(buffer.size(), piece.size()));
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0 || !piece.consume_front(StringRef(buffer.data(), static_cast<size_t>(size))))
      return false;
  }
  return true;
}

/// Whether there is a regular file of this content. Weights can be larger than the memory that is
/// left, so it is read piece by piece.
bool holds(const std::string &path, const FileContent &content) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) != content.size())
    return false;
  int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return false;
  std::vector<char> buffer(1 << 16);
  bool isSame =
      content.forEachPiece([&](StringRef piece) { return readsSame(file, piece, buffer); });
  ::close(file);
  return isSame;
}

std::string printList(const Names &names) {
  std::string list = kListComment.str();
  for (const std::string &name : names)
    list += name + "\n";
  return list;
}

/// The names in a list, those that lead out of the folder left out: whoever edited it did not do so
/// for us to remove them.
Names parseList(StringRef list) {
  Names names;
  for (StringRef line : llvm::split(list, '\n')) {
    bool isInside = !line.empty() && !line.starts_with("#");
    for (StringRef part : llvm::split(line, '/'))
      isInside &= !part.empty() && part != "." && part != "..";
    if (isInside)
      names.insert(line.str());
  }
  return names;
}

/// One program at a time writes below a folder, where the file system can tell.
class TurnLock {
public:
  explicit TurnLock(const std::string &folder)
      : file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (file >= 0 && ::flock(file, LOCK_EX) != 0 && errno == EINTR)
      ;
  }
  TurnLock(const TurnLock &) = delete;
  TurnLock &operator=(const TurnLock &) = delete;
  ~TurnLock() {
    if (file >= 0)
      ::close(file);
  }

private:
  int file;
};

/// Folders that were missing above a path; removed again unless they are kept.
class MadeParents {
public:
  MadeParents() = default;
  MadeParents(const MadeParents &) = delete;
  MadeParents &operator=(const MadeParents &) = delete;
  ~MadeParents() {
    for (const std::string &folder : llvm::reverse(made))
      ::rmdir(folder.c_str());
  }

  bool make(const std::string &path) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      std::string folder = path.substr(0, slash);
      struct stat status;
      if (::lstat(folder.c_str(), &status) == 0)
        continue;
      if (::mkdir(folder.c_str(), 0777) == 0)
        made.push_back(folder);
      else if (errno != EEXIST)
        return false;
    }
    return true;
  }
  void keep() { made.clear(); }

private:
  std::vector<std::string> made;
};

/// Writes one folder; see the head of this file.
class FolderWriter {
public:
  FolderWriter(std::string path, const EmittedFiles &files) : path(std::move(path)), files(files) {
    for (const auto &[name, content] : files)
      names.insert(name);
  }

  std::optional<Diagnostic> run();

private:
  std::optional<Diagnostic> inspect();
  bool mayBeReplaced() const;
  std::optional<Diagnostic> checkPlace(StringRef name) const;
  std::optional<Diagnostic> write(const SignalHold &hold);
  std::optional<Diagnostic> fill(const SignalHold &hold);
  std::optional<Diagnostic> writeAside(const std::string &temporary, const SignalHold &hold);
  std::optional<Diagnostic> moveFiles(const std::string &temporary);
  bool writeList(const std::string &temporary, const Names &list);
  void removeFiles(const Names &gone);
  std::string at(StringRef name) const { return path + "/" + name.str(); }

  std::string path;
  const EmittedFiles &files;
  Names names;
  /// Whether a folder is there, and that one.
  bool isThere = false;
  struct stat found = {};
  /// Names in the folder's list; none where there is no list, or an empty one.
  std::optional<Names> listed;
  /// Whether the system refused to put another folder in the place of the one that is there.
  bool cannotReplace = false;
  /// The files to write.
  std::vector<StringRef> changed;
};

/// Looks at `path`; a diagnostic says why nothing can be written there.
std::optional<Diagnostic> FolderWriter::inspect() {
  if (::lstat(path.c_str(), &found) != 0)
    return errno == ENOENT ? std::nullopt
                           : std::optional(makeSystemError(path, "cannot write the folder"));
  if (S_ISLNK(found.st_mode))
    return makeError(path, "is a symbolic link, which would be replaced");
  if (!S_ISDIR(found.st_mode))
    return makeError(path, "exists and is no folder");
  isThere = true;
  if (struct stat list; ::lstat(at(kList).c_str(), &list) == 0) {
    std::unique_ptr<llvm::MemoryBuffer> lines;
    if (auto problem = readInputFile(at(kList), kMaxListBytes, lines))
      return problem;
    listed = parseList(lines->getBuffer());
    return std::nullopt;
  }
  std::error_code error;
  llvm::sys::fs::directory_iterator first(path, error), end;
  if (error || first != end)
    return makeError(path,
                     "exists and was not written by cameo; remove it, or name another folder");
  return std::nullopt;
}

/// Whether it is worth trying to put another folder in the place of the empty one that is there.
bool FolderWriter::mayBeReplaced() const {
  StringRef last = StringRef(path).rsplit('/').second;
  if (last.empty())
    last = path;
  struct stat parent;
  return last != "." && last != ".." && ::stat(getParent(path).c_str(), &parent) == 0 &&
         parent.st_dev == found.st_dev;
}

/// Whether something that is not ours is where a file goes.
std::optional<Diagnostic> FolderWriter::checkPlace(StringRef name) const {
  constexpr StringRef foreign =
      "is in the way and was not written by cameo; move it, or name another folder";
  struct stat status;
  bool isFree = visitFolders(path, name, [&](const std::string &folder) {
    return ::lstat(folder.c_str(), &status) != 0 || S_ISDIR(status.st_mode);
  });
  if (!isFree)
    return makeError(at(name), foreign);
  if (::lstat(at(name).c_str(), &status) == 0 &&
      (S_ISDIR(status.st_mode) || (listed->find(name) == listed->end() && name != kList)))
    return makeError(at(name), foreign);
  return std::nullopt;
}

std::optional<Diagnostic> FolderWriter::writeAside(const std::string &temporary,
                                                   const SignalHold &hold) {
  for (StringRef name : changed) {
    if (hold.isPending())
      return makeError(path, "interrupted");
    if (!makeFolders(temporary, name) ||
        !writeNew(temporary + "/" + name.str(), files.find(name.str())->second))
      return makeSystemError(at(name), "cannot be written");
  }
  if (!writeList(temporary, names))
    return makeSystemError(at(kList), "cannot be written");
  return std::nullopt;
}

bool FolderWriter::writeList(const std::string &temporary, const Names &list) {
  return writeNew(temporary + "/" + kList.str(), printList(list));
}

/// Renames what was written aside into the folder, and its list there, first with the names that
/// were in it before.
std::optional<Diagnostic> FolderWriter::moveFiles(const std::string &temporary) {
  for (StringRef name : changed)
    if (!makeFolders(path, name))
      return makeSystemError(at(name), "cannot be written");
  Names both = names;
  both.insert(listed->begin(), listed->end());
  auto move = [&](StringRef name) {
    return ::rename((temporary + "/" + name.str()).c_str(), at(name).c_str()) == 0;
  };
  ::unlink((temporary + "/" + kList.str()).c_str());
  if (!writeList(temporary, both) || !move(kList))
    return makeSystemError(at(kList), "cannot be written");
  for (StringRef name : changed)
    if (!move(name))
      return makeSystemError(at(name), "cannot be written");
  Names stale;
  llvm::copy_if(*listed, std::inserter(stale, stale.end()),
                [&](const std::string &name) { return names.count(name) == 0; });
  removeFiles(stale);
  if (!writeList(temporary, names) || !move(kList))
    return makeSystemError(at(kList), "cannot be written");
  return std::nullopt;
}

/// Removes files of ours, and the folders that are empty then.
void FolderWriter::removeFiles(const Names &gone) {
  for (const std::string &name : gone) {
    std::vector<std::string> folders;
    struct stat status;
    bool isInside = visitFolders(path, name, [&](const std::string &folder) {
      folders.push_back(folder);
      return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    });
    if (!isInside)
      continue;
    ::unlink(at(name).c_str());
    for (const std::string &folder : llvm::reverse(folders))
      ::rmdir(folder.c_str());
  }
}

std::optional<Diagnostic> FolderWriter::write(const SignalHold &hold) {
  // In the folder, where there is one: its parent may be another file system, or not ours to write.
  std::string temporary = (listed ? path : getParent(path)) + "/.cameo-XXXXXX";
  if (!::mkdtemp(temporary.data())) {
    cannotReplace = true;
    return makeSystemError(path, "cannot write the folder");
  }
  llvm::scope_exit remove([&] { removeTree(AT_FDCWD, temporary.c_str()); });
  if (auto problem = writeAside(temporary, hold))
    return problem;
  if (listed)
    return moveFiles(temporary);
  // Replaces an empty folder, and only that.
  if (openToOthers(temporary) && ::rename(temporary.c_str(), path.c_str()) == 0)
    return std::nullopt;
  cannotReplace = errno == EBUSY || errno == EXDEV || errno == EACCES || errno == EPERM;
  return makeSystemError(path, "cannot write the folder");
}

/// Fills an empty folder, which is empty again on failure.
std::optional<Diagnostic> FolderWriter::fill(const SignalHold &hold) {
  listed.emplace();
  std::optional<Diagnostic> problem = write(hold);
  if (problem) {
    Names all = names;
    all.insert(kList.str());
    removeFiles(all);
  }
  return problem;
}

std::optional<Diagnostic> FolderWriter::run() {
  SignalHold hold;
  MadeParents parents;
  if (!parents.make(path))
    return makeSystemError(path, "cannot write the folder");
  TurnLock turn(getParent(path));
  if (auto problem = inspect())
    return problem;
  if (listed) {
    for (StringRef name : names)
      if (auto problem = checkPlace(name))
        return problem;
  }
  for (const auto &[name, content] : files)
    if (!listed || !holds(at(name), content))
      changed.push_back(name);
  // Equal files stay as they are, times included: nobody needs to build them again.
  if (listed && changed.empty() && *listed == names)
    return std::nullopt;

  bool isEmpty = isThere && !listed;
  std::optional<Diagnostic> problem = isEmpty && !mayBeReplaced() ? fill(hold) : write(hold);
  if (problem && isEmpty && !listed && cannotReplace)
    problem = fill(hold);
  if (!problem)
    parents.keep();
  return problem;
}

} // namespace

std::optional<Diagnostic> cameo::writeFolder(const std::string &given, const EmittedFiles &files) {
  std::string path = StringRef(given).rtrim('/').str();
  if (path.empty())
    return makeError(given, "is no folder that can be written");
  return FolderWriter(path, files).run();
}

std::optional<Diagnostic> cameo::writeFile(const std::string &path, StringRef content) {
  // A link, a pipe or a device is written through; only files are replaced.
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file >= 0 && closeWritten(file, writeAll(file, content)))
      return std::nullopt;
    return makeSystemError(path, "cannot be written");
  }

  SignalHold hold;
  std::string temporary = getParent(path) + "/.cameo-XXXXXX";
  int file = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return makeSystemError(path, "cannot be written");
  mode_t mask = ::umask(0);
  ::umask(mask);
  bool written = writeAll(file, content) && ::fchmod(file, 0666 & ~mask) == 0;
  if (closeWritten(file, written) && ::rename(temporary.c_str(), path.c_str()) == 0)
    return std::nullopt;
  Diagnostic problem = makeSystemError(path, "cannot be written");
  ::unlink(temporary.c_str());
  return problem;
}
