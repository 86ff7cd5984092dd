// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says what a command is busy with: one line of standard error, from the second second on, renewed
// in place and gone at the end. Only on a terminal; files and pipes never see it.

#ifndef CAMEO_TOOLS_PROGRESS_H
#define CAMEO_TOOLS_PROGRESS_H

#include <memory>
#include <string>

namespace cameo::cli {

/// Shows a line of progress for as long as the object lives; one at a time.
class Progress {
public:
  explicit Progress(std::string what);
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  /// Erases the line: a diagnostic may follow.
  ~Progress();

  /// From any thread.
  void update(std::string what);

private:
  struct State;
  /// Null where nobody looks.
  std::unique_ptr<State> state;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_PROGRESS_H
