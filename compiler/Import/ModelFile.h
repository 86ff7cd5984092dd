// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every byte that the importer reads from outside: the model, and the files that it refers to.
// Nothing is mapped into memory: a mapped file that is cut while it is read kills the process.

#ifndef CAMEO_IMPORT_MODELFILE_H
#define CAMEO_IMPORT_MODELFILE_H

#include "Import/Reporter.h"
#include "Support/InputFile.h"

namespace cameo::importer {

/// Largest file that protobuf can decode.
inline constexpr int64_t kMaxFileBytes = (int64_t(1) << 31) - 1;

/// The file that a user named. It may be anything that can be read as a file, through any links.
class ModelFile {
public:
  /// Opens `path`, or standard input for "-", and reads all of it.
  llvm::LogicalResult read(llvm::StringRef path, Reporter &reporter);

  llvm::ArrayRef<char> getBytes() const {
    return {buffer->getBufferStart(), buffer->getBufferSize()};
  }
  /// Gives the memory of the first `size` bytes back, about; they are no longer valid.
  void release(size_t size);

  /// Whether the model has a folder that it may refer to.
  bool hasFolder() const { return folder.isOpen(); }
  const File &getFolder() const { return folder; }
  bool isSameFile(const struct stat &other) const {
    return hasFolder() && other.st_dev == status.st_dev && other.st_ino == status.st_ino;
  }

private:
  llvm::LogicalResult readRegular(const File &file, Reporter &reporter);
  llvm::LogicalResult readStream(int descriptor, Reporter &reporter);

  File folder;
  struct stat status = {};
  size_t released = 0;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

/// The place of a tensor's bytes outside the model, as the model gives it, checked.
struct ExternalRange {
  std::string location;
  int64_t offset = 0;
  /// Negative when the model does not say.
  int64_t length = -1;
};

/// Opens what a model refers to: regular files with one name, below the model's folder, reached
/// through no link, whatever happens to the folder meanwhile.
class ExternalFiles {
public:
  ExternalFiles(const ModelFile *model, Reporter &reporter) : model(model), reporter(reporter) {}

  /// Whether `size` bytes can be read at `range`.
  llvm::LogicalResult check(const ExternalRange &range, int64_t size, const Where &where) {
    return open(range, size, where);
  }
  /// Reads them.
  llvm::LogicalResult read(const ExternalRange &range, char *data, int64_t size,
                           const Where &where);

private:
  llvm::LogicalResult checkLocation(llvm::StringRef location, const Where &where);
  llvm::LogicalResult open(const ExternalRange &range, int64_t size, const Where &where);

  const ModelFile *model;
  Reporter &reporter;
  /// The file used last: models keep all their weights in one.
  std::string openLocation;
  File openFile;
  int64_t openSize = 0;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_MODELFILE_H
