// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Progress.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

using namespace cameo::cli;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kDelay(1000), kPeriod(200);

bool isShown() {
  const char *terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

void writeText(const std::string &text) {
  // A terminal that has gone away is no reason to end.
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

/// One line of the terminal: a longer one could not be erased.
void show(const std::string &what, Clock::duration passed) {
  winsize size{};
  size_t width =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
  std::string time = fmt::format(" {} s", seconds), line = "cameo: " + what;
  line.resize(std::min(line.size(), width - std::min(width, time.size())));
  writeText("\r\033[K" + line + time);
}

} // namespace

struct Progress::State {
  std::mutex mutex;
  std::condition_variable ended;
  std::string what;
  bool isEnded = false;
  std::thread thread;

  void run() {
    Clock::time_point start = Clock::now();
    std::unique_lock lock(mutex);
    auto hasEnded = [&] { return isEnded; };
    if (ended.wait_for(lock, kDelay, hasEnded))
      return;
    do
      show(what, Clock::now() - start);
    while (!ended.wait_for(lock, kPeriod, hasEnded));
    writeText("\r\033[K");
  }
};

Progress::Progress(std::string what) {
  if (!isShown())
    return;
  state = std::make_unique<State>();
  state->what = std::move(what);
  state->thread = std::thread([this] { state->run(); });
}

Progress::~Progress() {
  if (!state)
    return;
  {
    std::lock_guard lock(state->mutex);
    state->isEnded = true;
  }
  state->ended.notify_one();
  state->thread.join();
}

void Progress::update(std::string what) {
  if (!state)
    return;
  std::lock_guard lock(state->mutex);
  state->what = std::move(what);
}
