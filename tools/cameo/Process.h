// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs that `verify`, `run` and `bench` start, compilers and what they have built, with
// limits of their time and memory.

#ifndef CAMEO_TOOLS_PROCESS_H
#define CAMEO_TOOLS_PROCESS_H

#include "Common.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cameo::cli {

/// Limits of one program's resources; 0: none.
class ProgramLimits {
public:
  ProgramLimits();
  /// --max-program-seconds and --max-program-bytes.
  void addTo(CLI::App &verb);
  /// The same with so much more time, which the user has asked for.
  ProgramLimits extended(double more) const;

  double seconds = 1800;
  int64_t bytes = 0;
};

struct ProgramEnd {
  /// Its exit code; -N when signal N ended it.
  int code = 0;
  /// Why it could not be started.
  std::string problem;
  /// Which limit ended it, with its flag.
  std::string exceeded;

  bool isOk() const { return code == 0 && problem.empty() && exceeded.empty(); }
  /// `exit 1`, `signal 11`; or which limit, or that it did not start.
  std::string str() const;
};

/// Runs a command to its end, or to that of a limit, which ends the programs that it has started
/// too. Files stand for the three streams; an empty one is /dev/null. From any thread.
ProgramEnd runCommand(const std::vector<std::string> &command, const std::string &input,
                      const std::string &output, const std::string &errors,
                      const ProgramLimits &limits);

/// Runs a command of the user's in `sh`, with a file's path in place of each {}, or behind it.
ProgramEnd runShell(const std::string &command, llvm::StringRef file, const std::string &input,
                    const std::string &output, const std::string &errors,
                    const ProgramLimits &limits);

/// Runs a verb of this program, or of another Cameo where `program` names one; what it prints is
/// lost unless `output` names a file, what it says of errors is in one.
ProgramEnd runCameo(const std::vector<std::string> &words, const std::string &errors,
                    const ProgramLimits &limits, const std::string &output = "",
                    const std::string &program = "");

/// Calls `work` for each number below `count`, from at most `jobs` threads, in order.
void runInParallel(size_t count, size_t jobs, llvm::function_ref<void(size_t)> work);

/// The last line of a file that is not empty, for a diagnostic: of what a program said, what it was
/// ended by.
std::string readLastLine(const std::string &path);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_PROCESS_H
