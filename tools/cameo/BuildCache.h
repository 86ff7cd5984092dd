// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder in which `verify`, `run`, `bench` and `build` keep built programs: files named after
// the hash of all that went into them, each with a note of its own size and hash beside it.
// Programs in it are executed, so the folder is the user's alone.

#ifndef CAMEO_TOOLS_BUILDCACHE_H
#define CAMEO_TOOLS_BUILDCACHE_H

#include "Common.h"

namespace cameo::cli {

class BuildCache {
public:
  /// CAMEO_CACHE, or the user's.
  static std::string getFolder();
  /// Makes it where it is missing, for its owner alone. One that another user owns or may write,
  /// and one that cannot be made, is refused; nothing else is written then.
  static std::optional<Diagnostic> open();
  /// The bytes that CAMEO_CACHE_SIZE (MiB) allows; fails on what is no number.
  static std::optional<Diagnostic> readLimit(uint64_t &bytes);

  /// Whether the file is there as it was added: a damaged one is as good as none. Makes it the one
  /// used last.
  static bool holds(const std::string &file);
  /// Moves a finished file in; it is there whole or not at all.
  static std::error_code add(const std::string &made, const std::string &file);
  /// Removes what was not used for longest, until the rest is within the limit.
  static void trim(uint64_t limit);
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_BUILDCACHE_H
