// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one opener for files that a model names.

#include "Import/ModelFile.h"
#include "Support/CheckedSize.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

namespace {

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;

/// Opens `location` below `folder` one component at a time, following no link. For kernels, and
/// sandboxes, without openat2. checkLocation() has refused "..".
int openByComponents(int folder, StringRef location) {
  SmallVector<StringRef> components;
  location.split(components, '/', -1, /*KeepEmpty=*/false);
  File current;
  for (size_t number = 0; number < components.size(); ++number) {
    bool isLast = number + 1 == components.size();
    int flags = isLast ? kOpenFlags : O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    int next = sys::RetryAfterSignal(-1, ::openat, current.isOpen() ? current.get() : folder,
                                     components[number].str().c_str(), flags);
    if (next < 0 || isLast)
      return next;
    current = File(next);
  }
  errno = ENOENT;
  return -1;
}

int openBelow(int folder, StringRef location) {
  struct open_how how = {};
  how.flags = kOpenFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  std::string path = location.str();
  long opened;
  do
    opened = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how));
  while (opened < 0 && (errno == EINTR || errno == EAGAIN));
  if (opened < 0 && (errno == ENOSYS || errno == EPERM || errno == E2BIG || errno == EINVAL))
    return openByComponents(folder, location);
  return static_cast<int>(opened);
}

} // namespace

LogicalResult ExternalFiles::checkLocation(StringRef location, const Where &where) {
  auto refuse = [&](const Twine &why) {
    return reporter.fail(ExitClass::Policy, &where,
                         "refers to data at " + quoteText(location) + ", " + why,
                         "external data must be a regular file below the model's folder");
  };
  if (location.empty() || location.contains('\0'))
    return reporter.malformed(&where, "has an external location that is no file name (got " +
                                          quoteText(location) + ")");
  if (!model || !model->hasFolder())
    return refuse("but a model that is not read from a file has no folder");
  if (location.contains("_ORT_MEM_ADDR_"))
    return refuse("an address in memory");
  if (location.contains("://"))
    return refuse("a URL");
  if (location.front() == '/')
    return refuse("an absolute path");
  // On another system these would leave the folder.
  if (location.contains('\\') ||
      (location.size() > 1 && isAlpha(location[0]) && location[1] == ':'))
    return refuse("a path of another system");
  SmallVector<StringRef> components;
  location.split(components, '/');
  if (is_contained(components, ".."))
    return refuse("outside the model's folder");
  return success();
}

LogicalResult ExternalFiles::open(const ExternalRange &range, int64_t size, const Where &where) {
  StringRef location = range.location;
  if (!openFile.isOpen() || openLocation != location) {
    if (failed(checkLocation(location, where)))
      return failure();
    openLocation.clear();
    openFile = File();
    File file(openBelow(model->getFolder().get(), location));
    if (!file.isOpen()) {
      bool isLink = errno == ELOOP || errno == EXDEV || errno == ENOTDIR;
      return reporter.fail(isLink ? ExitClass::Policy : ExitClass::Io, &where,
                           "external data " + quoteText(location) +
                               (isLink ? " is reached through a link: " : " cannot be opened: ") +
                               sys::StrError(errno));
    }
    struct stat status;
    if (::fstat(file.get(), &status) != 0)
      return reporter.fail(ExitClass::Io, &where,
                           "external data " + quoteText(location) +
                               " cannot be read: " + sys::StrError(errno));
    StringRef problem = !S_ISREG(status.st_mode)    ? "is not a regular file"
                        : status.st_nlink != 1      ? "has another name (a hard link)"
                        : model->isSameFile(status) ? "is the model itself"
                                                    : "";
    if (!problem.empty())
      return reporter.fail(ExitClass::Policy, &where,
                           "external data " + quoteText(location) + " " + problem);
    openLocation = location.str();
    openFile = std::move(file);
    openSize = status.st_size;
  }
  if (!(CheckedSize(range.offset) + size).isAtMost(openSize))
    return reporter.malformed(&where, "external data ends beyond its file " + quoteText(location) +
                                          " (got offset " + Twine(range.offset) + " and " +
                                          Twine(size) + " bytes, the file has " + Twine(openSize) +
                                          ")");
  return success();
}

LogicalResult ExternalFiles::read(const ExternalRange &range, char *data, int64_t size,
                                  const Where &where) {
  if (failed(open(range, size, where)))
    return failure();
  if (!openFile.readAt(data, size, range.offset))
    return reporter.fail(ExitClass::Io, &where,
                         "external data " + quoteText(range.location) +
                             (errno ? " cannot be read: " + sys::StrError(errno)
                                    : std::string(" ends while it is read")));
  return success();
}
