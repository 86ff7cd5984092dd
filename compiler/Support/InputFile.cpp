// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/InputFile.h"

#include "llvm/Support/Errno.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace cameo;

File::~File() {
  if (isOpen())
    ::close(descriptor);
}

bool File::readAt(char *data, int64_t size, int64_t offset) const {
  while (size > 0) {
    ssize_t got = sys::RetryAfterSignal(-1, ::pread, descriptor, data, static_cast<size_t>(size),
                                        static_cast<off_t>(offset));
    if (got == 0)
      errno = 0;
    if (got <= 0)
      return false;
    data += got;
    size -= got;
    offset += got;
  }
  return true;
}

std::string cameo::openInputFile(const std::string &path, File &file, struct stat &status) {
  file = File(sys::RetryAfterSignal(-1, ::open, path.c_str(),
                                    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.isOpen() || ::fstat(file.get(), &status) != 0)
    return "cannot be opened: " + sys::StrError(errno);
  return S_ISREG(status.st_mode) ? "" : "is not a regular file";
}

std::optional<Diagnostic> cameo::readInputFile(const std::string &path, int64_t maxBytes,
                                               std::unique_ptr<MemoryBuffer> &content) {
  auto fail = [&](ExitClass exitClass, std::string problem) {
    return Diagnostic{exitClass, path, "", std::move(problem), ""};
  };
  File file;
  struct stat status;
  if (std::string problem = openInputFile(path, file, status); !problem.empty())
    return fail(ExitClass::Io, problem);
  int64_t size = status.st_size;
  if (size > maxBytes)
    return fail(ExitClass::Limit, "is too large (got " + std::to_string(size) +
                                      " bytes, need at most " + std::to_string(maxBytes) + ")");
  auto bytes = WritableMemoryBuffer::getNewUninitMemBuffer(static_cast<size_t>(size));
  if (!bytes)
    return fail(ExitClass::Limit, "there is no memory for its " + std::to_string(size) + " bytes");
  if (!file.readAt(bytes->getBufferStart(), size, 0))
    return fail(ExitClass::Io, errno ? "cannot be read: " + sys::StrError(errno)
                                     : std::string("ends while it is read"));
  content = std::move(bytes);
  return std::nullopt;
}
