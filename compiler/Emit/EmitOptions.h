// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options by which the files of a library are written.

#ifndef CAMEO_EMIT_EMITOPTIONS_H
#define CAMEO_EMIT_EMITOPTIONS_H

#include "Target/Target.h"

#include <string>

namespace cameo {

struct EmitOptions {
  /// Where the weights are: in the program, in a file beside it, or wherever the caller says.
  enum class Weights { Embed, File, Extern };
  enum class Heap { None, Runtime };

  /// The name of the library, its files and its C symbols; see isLibraryName().
  std::string name;
  const Target *target = &getDefaultTarget();
  Weights weights = Weights::Embed;
  Heap heap = Heap::Runtime;
  /// Compiles threads away (--threads 0).
  bool threads = true;
  /// Whether the runtime and the templates that the program uses come with it.
  bool runtimeSources = true;
  /// The version of the compiler, for the first line of each file.
  std::string version;
  /// The command that asked for it, as the user may read it there; without paths of one machine.
  std::string command;
};

} // namespace cameo

#endif // CAMEO_EMIT_EMITOPTIONS_H
