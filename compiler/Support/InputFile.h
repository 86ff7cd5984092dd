// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How every file that a user names is read: models, plans, data sets, lists of written files. It is
// opened without waiting, so that a pipe or a terminal does not block; only regular files are read,
// reached through any links; none is mapped, since a mapped file that is cut while it is read kills
// the process. Files that a model names have an opener of their own (Import/ExternalFiles.cpp).

#ifndef CAMEO_SUPPORT_INPUTFILE_H
#define CAMEO_SUPPORT_INPUTFILE_H

#include "Support/Diagnostic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace cameo {

/// An open file, closed with the object.
class File {
public:
  File() = default;
  explicit File(int descriptor) : descriptor(descriptor) {}
  File(File &&other) : descriptor(std::exchange(other.descriptor, -1)) {}
  File &operator=(File &&other) {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~File();

  bool isOpen() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  /// Reads `size` bytes at `offset`; false, with errno, or 0 where the file ends before, on
  /// failure.
  bool readAt(char *data, int64_t size, int64_t offset) const;

private:
  int descriptor = -1;
};

/// Opens the regular file `path`; what is wrong, or "".
std::string openInputFile(const std::string &path, File &file, struct stat &status);

/// All bytes of the regular file `path`, of which there may be `maxBytes`.
std::optional<Diagnostic> readInputFile(const std::string &path, int64_t maxBytes,
                                        std::unique_ptr<llvm::MemoryBuffer> &content);

} // namespace cameo

#endif // CAMEO_SUPPORT_INPUTFILE_H
