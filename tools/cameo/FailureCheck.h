// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a failing model does, told by a program that is run on it (reduce --check): a command of the
// user's, or a verb of this program in a process of its own, which may crash.

#ifndef CAMEO_TOOLS_FAILURECHECK_H
#define CAMEO_TOOLS_FAILURECHECK_H

#include "NativeBuild.h"

#include <set>

namespace cameo::cli {

/// How a model failed.
struct Failure {
  /// `exit 1`, `signal 11`, `differs`: all that was seen; empty where it did not fail.
  std::set<std::string> kinds = {};
  /// Words of the diagnostic, without numbers.
  std::set<std::string> words = {};
  /// For the user: how the check ended, and the last line that it printed.
  std::string text = {};

  bool hasFailed() const { return !kinds.empty(); }
  /// Whether it is a failure of the whole model's kind, which says nothing that that did not say: a
  /// model that fails for another reason is no smaller form of it.
  bool isLike(const Failure &whole) const;
};

/// Flags as they were given, for a verb that has the same.
struct ForwardedFlags {
  /// Flags of every verb, and flags that only `verify` has.
  std::vector<std::string> common, verify;
};

class FailureCheck {
public:
  /// `crash`, `exit N`, `verify` or a command.
  std::optional<Diagnostic> read(const std::string &text, const ForwardedFlags &given,
                                 const ProgramLimits &limits);
  Failure run(const std::string &model) const;

private:
  enum class Kind { Compile, Verify, Command };

  Failure compileModel(const std::string &model) const;
  Failure verifyModel(const std::string &model) const;
  Failure runUsersCommand(const std::string &model) const;
  std::string readDiagnostic(const std::string &model) const;
  std::string getPath(llvm::StringRef name) const { return (scratch.getPath() + "/" + name).str(); }

  Kind kind = Kind::Command;
  std::string command;
  std::vector<std::string> flags;
  ProgramLimits limits;
  /// The exit code of `exit N`; none for a crash.
  std::optional<int> expected;
  ScratchFolder scratch;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_FAILURECHECK_H
