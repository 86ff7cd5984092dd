// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the files of a generated library to a program on this machine: the library, the runtime and
// the driver (driver/README.md), compiled with CXX and, for a GPU, NVCC. What was built before is
// used again.

#ifndef CAMEO_TOOLS_NATIVEBUILD_H
#define CAMEO_TOOLS_NATIVEBUILD_H

#include "Common.h"

namespace cameo::cli {

struct NativeProgram {
  std::string path;
  /// What building took; 0 when the program was there.
  double seconds = 0;
};

/// How a program is built, besides what all are built with.
struct BuildFlags {
  /// For the host's compiler, behind our own; words apart by blanks.
  std::string cxx;
  /// On the emulator: every access of a kernel is held against what it declares.
  bool trace = false;
};

struct GeneratedLibrary {
  std::string name;
  const EmittedFiles *files;
};

/// Builds a program of one library, or of two whose models run in a row; on failure says why (exit
/// 3 without a compiler, 1 when what we wrote does not compile).
std::optional<Diagnostic> buildProgram(llvm::ArrayRef<GeneratedLibrary> libraries,
                                       const Platform &platform, const BuildFlags &flags,
                                       NativeProgram &program);

/// A folder of its own for the length of a scope.
class ScratchFolder {
public:
  /// Below the cache; empty on failure.
  ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder();
  const std::string &getPath() const { return path; }

private:
  std::string path;
};

/// Runs a command to its end; -N when signal N ended it. Files stand for the three streams; an
/// empty one is /dev/null. `problem` is set when it could not be started.
int runCommand(const std::vector<std::string> &command, const std::string &input,
               const std::string &output, const std::string &errors, std::string &problem);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_NATIVEBUILD_H
