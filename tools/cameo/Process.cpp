// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits are watched from outside, not set as the system's: an address space that is limited is one
// in which neither the address sanitizer nor a device's driver starts, since both reserve far more
// than they use; and what counts is a program together with those it starts.

#include "Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
using Clock = std::chrono::steady_clock;

namespace {

/// How often memory and time are looked at; what a program takes between two looks is not seen.
constexpr std::chrono::milliseconds kPeriod(100);
constexpr size_t kMostPrograms = 4096;

int64_t getPageBytes() { return ::sysconf(_SC_PAGESIZE); }

/// The words of a file of /proc.
llvm::SmallVector<int64_t> readNumbers(const std::string &path) {
  llvm::SmallVector<int64_t> numbers;
  char text[4096];
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? -1 : ::read(file, text, sizeof text);
  if (file >= 0)
    ::close(file);
  StringRef rest(text, size > 0 ? static_cast<size_t>(size) : 0);
  for (int64_t number = 0; !rest.ltrim().consumeInteger(10, number);) {
    numbers.push_back(number);
    rest = rest.ltrim().drop_while(llvm::isDigit);
  }
  return numbers;
}

/// A program and all that it has started, as far as the system tells.
std::vector<pid_t> listPrograms(pid_t root) {
  std::vector<pid_t> all{root};
  for (size_t at = 0; at < all.size() && all.size() < kMostPrograms; ++at)
    for (int64_t child : readNumbers(fmt::format("/proc/{0}/task/{0}/children", all[at])))
      all.push_back(static_cast<pid_t>(child));
  return all;
}

/// Memory that is a program's own: pages of files can be had again.
int64_t getOwnBytes(const std::vector<pid_t> &programs) {
  int64_t pages = 0;
  for (pid_t program : programs) {
    llvm::SmallVector<int64_t> sizes = readNumbers(fmt::format("/proc/{}/statm", program));
    if (sizes.size() > 2)
      pages += sizes[1] - sizes[2];
  }
  return pages * getPageBytes();
}

/// Waits until a program has ended, or for a period.
class Watch {
public:
  explicit Watch(pid_t program)
      : program(program), file(static_cast<int>(::syscall(SYS_pidfd_open, program, 0))) {}
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;
  ~Watch() {
    if (file >= 0)
      ::close(file);
  }

  bool hasEnded(std::chrono::milliseconds period, int &status) const {
    // Without a descriptor for programs (Linux before 5.3) it is asked again and again.
    if (file < 0)
      period = std::chrono::milliseconds(5);
    pollfd entry{file, POLLIN, 0};
    (void)::poll(&entry, file >= 0 ? 1 : 0, static_cast<int>(period.count()));
    pid_t ended = ::waitpid(program, &status, WNOHANG);
    if (ended >= 0 || errno == EINTR)
      return ended == program;
    // Somebody else has waited for it: how it ended is lost.
    status = W_EXITCODE(127, 0);
    return true;
  }

private:
  pid_t program;
  int file;
};

std::string getExceeded(const ProgramLimits &limits, pid_t program, Clock::time_point start) {
  double passed = std::chrono::duration<double>(Clock::now() - start).count();
  if (limits.seconds > 0 && passed > limits.seconds)
    return fmt::format("was ended after {:.4g} s (--max-program-seconds)", limits.seconds);
  int64_t bytes = limits.bytes > 0 ? getOwnBytes(listPrograms(program)) : 0;
  if (bytes > limits.bytes)
    return fmt::format("was ended with {} bytes of memory, of {} (--max-program-bytes)", bytes,
                       limits.bytes);
  return "";
}

} // namespace

ProgramLimits::ProgramLimits() : bytes(::sysconf(_SC_PHYS_PAGES) / 4 * 3 * getPageBytes()) {}

void ProgramLimits::addTo(CLI::App &verb) {
  verb.add_option("--max-program-seconds", seconds,
                  "the time of each program that is started: compilers, and the model's (default "
                  "1800; 0: any)")
      ->check(CLI::Range(0.0, 1e9));
  verb.add_option("--max-program-bytes", bytes,
                  "its memory, with that of the programs it starts (default: three quarters of the "
                  "machine's; 0: any)")
      ->check(CLI::NonNegativeNumber);
}

ProgramLimits ProgramLimits::extended(double more) const {
  ProgramLimits limits = *this;
  if (limits.seconds > 0)
    limits.seconds += more;
  return limits;
}

std::string ProgramEnd::str() const {
  if (!problem.empty())
    return "could not be started: " + problem;
  if (!exceeded.empty())
    return exceeded;
  if (code == -SIGKILL)
    return "was ended by signal 9, perhaps by the system for want of memory";
  return code < 0 ? fmt::format("was ended by signal {}", -code)
                  : fmt::format("ended with exit {}", code);
}

ProgramEnd cameo::cli::runCommand(const std::vector<std::string> &command, const std::string &input,
                                  const std::string &output, const std::string &errors,
                                  const ProgramLimits &limits) {
  ProgramEnd end;
  end.code = -1;
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(command.front());
  if (!program) {
    end.problem = program.getError().message();
    return end;
  }
  // A file that is there already would not be cut to what is written.
  for (const std::string *file : {&output, &errors})
    if (!file->empty())
      (void)llvm::sys::fs::remove(*file);
  std::vector<StringRef> words(command.begin(), command.end());
  std::optional<StringRef> streams[] = {StringRef(input), StringRef(output), StringRef(errors)};
  bool failed = false;
  Clock::time_point start = Clock::now();
  llvm::sys::ProcessInfo started =
      llvm::sys::ExecuteNoWait(*program, words, std::nullopt, streams, 0, &end.problem, &failed);
  if (failed || started.Pid == llvm::sys::ProcessInfo::InvalidPid) {
    if (end.problem.empty())
      end.problem = "unknown error";
    return end;
  }
  end.problem.clear();
  Watch watch(started.Pid);
  int status = 0;
  while (!watch.hasEnded(kPeriod, status)) {
    if (!end.exceeded.empty())
      continue;
    end.exceeded = getExceeded(limits, started.Pid, start);
    if (!end.exceeded.empty())
      for (pid_t each : listPrograms(started.Pid))
        ::kill(each, SIGKILL);
  }
  end.code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

ProgramEnd cameo::cli::runShell(const std::string &command, StringRef file,
                                const std::string &input, const std::string &output,
                                const std::string &errors, const ProgramLimits &limits) {
  std::string quoted = "'";
  for (char c : file)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  quoted += "'";
  std::string line = StringRef(command).contains("{}") ? command : command + " {}";
  for (size_t at = line.find("{}"); at != std::string::npos;
       at = line.find("{}", at + quoted.size()))
    line.replace(at, 2, quoted);
  return runCommand({"sh", "-c", line}, input, output, errors, limits);
}

ProgramEnd cameo::cli::runCameo(const std::vector<std::string> &words, const std::string &errors,
                                const ProgramLimits &limits, const std::string &output,
                                const std::string &program) {
  std::vector<std::string> command{
      program.empty() ? llvm::sys::fs::getMainExecutable(nullptr, nullptr) : program};
  command.insert(command.end(), words.begin(), words.end());
  return runCommand(command, "", output, errors, limits);
}

void cameo::cli::runInParallel(size_t count, size_t jobs, llvm::function_ref<void(size_t)> work) {
  std::atomic<size_t> next = 0;
  auto takeNext = [&] {
    for (size_t number = next++; number < count; number = next++)
      work(number);
  };
  std::vector<std::thread> threads;
  for (size_t number = 1; number < std::min(jobs, count); ++number)
    threads.emplace_back(takeNext);
  takeNext();
  for (std::thread &thread : threads)
    thread.join();
}

std::string cameo::cli::readLastLine(const std::string &path) {
  constexpr size_t kMaxText = 600;
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return "";
  StringRef said = (*text)->getBuffer().rtrim();
  return escapeText(said.substr(said.rfind('\n') + 1), kMaxText);
}
