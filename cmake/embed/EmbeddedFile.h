// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table that cameo_embed_files() (cmake/EmbedFiles.cmake) writes. Data is followed by one zero
// byte that `size` does not count; rows are sorted by path; paths use '/'.
#ifndef CAMEO_EMBEDDEDFILE_H
#define CAMEO_EMBEDDEDFILE_H

#include <cstddef>

namespace cameo {

/// One embedded file: its path relative to the table's root, and its bytes.
struct EmbeddedFile {
  const char *path;
  const char *data;
  std::size_t size;
};

/// All files of one table; a range for `for` and for llvm::ArrayRef.
struct EmbeddedFileTable {
  const EmbeddedFile *rows;
  std::size_t count;

  const EmbeddedFile *begin() const { return rows; }
  const EmbeddedFile *end() const { return rows + count; }
};

} // namespace cameo

#endif // CAMEO_EMBEDDEDFILE_H
