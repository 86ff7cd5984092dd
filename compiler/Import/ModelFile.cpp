// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the model itself.

#include "Import/ModelFile.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

namespace {

LogicalResult failToRead(Reporter &reporter, const Twine &problem) {
  return reporter.fail(ExitClass::Io, nullptr, problem);
}

LogicalResult failForSize(Reporter &reporter) {
  return reporter.fail(
      ExitClass::Limit, nullptr,
      "the model is too large (got more than 2 GiB, which is what protobuf can hold)",
      "keep the weights in external data");
}

} // namespace

LogicalResult ModelFile::read(StringRef path, Reporter &reporter) {
  if (path == "-")
    return readStream(STDIN_FILENO, reporter);

  File file;
  if (std::string problem = openInputFile(path.str(), file, status); !problem.empty())
    return failToRead(reporter, problem);

  StringRef parent = sys::path::parent_path(path);
  std::string folderPath = parent.empty() ? "." : parent.str();
  folder =
      File(sys::RetryAfterSignal(-1, ::open, folderPath.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.isOpen())
    return failToRead(reporter, "its folder cannot be opened: " + sys::StrError(errno));
  return readRegular(file, reporter);
}

LogicalResult ModelFile::readRegular(const File &file, Reporter &reporter) {
  int64_t size = status.st_size;
  if (size > kMaxFileBytes)
    return failForSize(reporter);
  auto bytes = WritableMemoryBuffer::getNewUninitMemBuffer(static_cast<size_t>(size));
  if (!bytes)
    return reporter.limit(nullptr, "there is no memory for the model's " + Twine(size) + " bytes",
                          "");
  if (!file.readAt(bytes->getBufferStart(), size, 0))
    return failToRead(reporter, errno ? "cannot be read: " + sys::StrError(errno)
                                      : std::string("ends while it is read"));
  buffer = std::move(bytes);
  return success();
}

void ModelFile::release(size_t size) {
  if (size == buffer->getBufferSize()) {
    buffer.reset();
    return;
  }
  // Whole pages only, and few calls. The buffer is private memory that nothing reads any more.
  constexpr size_t kStep = size_t(1) << 20;
  static const size_t kPage = sys::Process::getPageSizeEstimate();
  auto address = reinterpret_cast<uintptr_t>(buffer->getBufferStart());
  uintptr_t begin = alignTo(address + released, kPage), end = alignDown(address + size, kPage);
  if (end < begin + kStep)
    return;
  ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  released = end - address;
}

LogicalResult ModelFile::readStream(int descriptor, Reporter &reporter) {
  SmallVector<char, 0> bytes;
  for (;;) {
    constexpr size_t kChunk = size_t(1) << 16;
    size_t filled = bytes.size();
    bytes.resize_for_overwrite(filled + kChunk);
    ssize_t got = sys::RetryAfterSignal(-1, ::read, descriptor, bytes.data() + filled, kChunk);
    if (got < 0)
      return failToRead(reporter, "standard input cannot be read: " + sys::StrError(errno));
    bytes.resize(filled + static_cast<size_t>(got));
    if (got == 0)
      break;
    if (static_cast<int64_t>(bytes.size()) > kMaxFileBytes)
      return failForSize(reporter);
  }
  buffer =
      std::make_unique<SmallVectorMemoryBuffer>(std::move(bytes), /*RequiresNullTerminator=*/false);
  return success();
}
