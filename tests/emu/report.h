// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a planted bug in a child process and gives back what the emulator said before it aborted.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

/// Allocations are numbered through the life of a program: "allocation 13" becomes "allocation #".
inline std::string without_numbers(std::string text) {
  const std::string word = "allocation ";
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
    const size_t begin = at + word.size();
    const size_t end = text.find_first_not_of("0123456789", begin);
    text.replace(begin, end - begin, "#");
  }
  return text;
}

/// Everything the child wrote to stderr; begins with "not caught" when it ended in any way but an
/// abort.
template <class F> std::string report_of(F bug) {
  int ends[2];
  if (pipe(ends) != 0)
    return "no pipe";
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    signal(SIGABRT, SIG_DFL); // not Catch2's handler
    bug();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char piece[512];
  for (ssize_t n; (n = read(ends[0], piece, sizeof(piece))) > 0;)
    text.append(piece, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  return aborted ? without_numbers(text) : "not caught: " + text;
}
