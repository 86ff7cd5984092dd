// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the files of a generated library to a program or a shared library on this machine: the
// library, the runtime and, in a program, the driver (driver/README.md), compiled with CXX and, for
// a GPU, NVCC. Objects and programs that were built before are used again.

#ifndef CAMEO_TOOLS_NATIVEBUILD_H
#define CAMEO_TOOLS_NATIVEBUILD_H

#include "Process.h"

namespace cameo::cli {

struct NativeProgram {
  std::string path;
  /// Duration of the build; 0 when the program was there.
  double seconds = 0;
};

/// How a program is built, besides what all are built with.
struct BuildFlags {
  /// --cxxflags, --external-source and --trace.
  void addTo(CLI::App &verb);
  /// --external-source alone.
  void addSourcesTo(CLI::App &verb);

  /// For the host's compiler, behind our own; words apart by blanks.
  std::string cxx;
  /// Files of the user's that are built in: what computes the operators that he declares.
  std::vector<std::string> externalSources;
  /// On the emulator: every access of a kernel is held against what it declares.
  bool trace = false;
  /// Limits of each compiler that is started.
  ProgramLimits limits = ProgramLimits();
};

struct GeneratedLibrary {
  std::string name;
  const EmittedFiles *files;
};

/// Builds a program of one library, or of two whose models run in a row; on failure says why (exit
/// 2 where nothing computes operators of the user's, 3 where the compiler is missing, fails by
/// itself or over what the user wrote, 6 where it takes too much, 1 when what we wrote does not
/// compile).
std::optional<Diagnostic> buildProgram(llvm::ArrayRef<GeneratedLibrary> libraries,
                                       const Platform &platform, const BuildFlags &flags,
                                       NativeProgram &program);

/// Builds a shared library that exports the C API of one model, and its table as `cameo_describe`.
/// Fails as buildProgram.
std::optional<Diagnostic> buildSharedLibrary(const GeneratedLibrary &library,
                                             const Platform &platform, const BuildFlags &flags,
                                             NativeProgram &built);

/// A folder of its own, below the cache, for the length of a scope.
class ScratchFolder {
public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder();
  std::optional<Diagnostic> make();
  const std::string &getPath() const { return path; }

private:
  std::string path;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_NATIVEBUILD_H
