// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other end of driver/driver.cpp: writes what it reads, reads what it writes.

#ifndef CAMEO_TOOLS_DRIVER_H
#define CAMEO_TOOLS_DRIVER_H

#include "Import/TensorData.h"
#include "Process.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo::cli {

/// Where an input is put before a run, or an output is wanted.
struct Placement {
  /// As in cameo_space, -1 for what the model prefers.
  int space = -1;
  /// Bytes of an input's data from an aligned address.
  int64_t offset = 0;
  /// Elements that rows are apart, or the strides of all dims.
  int64_t pad = 0;
  std::vector<int64_t> strides;
};

/// One run, or the same one several times.
struct RunRequest {
  /// By position; none for an input that is left out.
  std::vector<std::optional<TensorData>> inputs;
  std::vector<Placement> inputPlaces;
  /// By position, the next model's behind the first one's.
  std::vector<Placement> outputPlaces;
  /// Inputs of the next model, and which outputs of the first one they are.
  std::vector<std::pair<size_t, size_t>> connections;
  /// An input of the next model that is an extent of one of the first one's outputs.
  struct Count {
    size_t input, output, axis;
  };
  std::vector<Count> counts;
  /// Outputs of the first model that lie in the memory of an input.
  std::vector<std::pair<size_t, size_t>> updates;
  /// Inputs that are what the run before has left in an output of the first model.
  std::vector<std::pair<size_t, size_t>> carried;
  int64_t repeat = 1;
  /// To be spent on timing it; 0: it is not timed.
  int64_t milliseconds = 0;
};

/// A kernel function of the generated code, over all its calls in a run.
struct KernelProfile {
  std::string kernel;
  int64_t calls = 0, nanoseconds = 0, bytes = 0, operations = 0;
};

/// A call of a kernel in the fastest run, in nanoseconds from the run's start.
struct KernelCall {
  /// In the profile.
  size_t kernel = 0;
  int64_t start = 0, nanoseconds = 0, bytes = 0, operations = 0;
};

/// The machine's limits, per second.
struct Roofline {
  struct Level {
    std::string name;
    int64_t bytes = 0;
    double bytesPerSecond = 0;
  };
  double operationsPerSecond = 0;
  /// From the nearest to the core; the last one's size is 0: it has what is larger.
  std::vector<Level> levels;
};

/// The device that a program runs on: the version of its instructions, all zeros where there
/// is none.
struct DeviceFacts {
  int64_t major = 0, minor = 0, multiprocessors = 0;
};

/// Settings that all runs of a process share.
struct RunFlags {
  int threads = 1;
  /// Whether streams and events of the caller's order everything.
  bool userStreams = false;
  /// Where the machine's roofline goes, if it is to be measured in front of the runs.
  Roofline *roofline = nullptr;
  /// Where the program's device goes, if it is to be told.
  DeviceFacts *device = nullptr;
  /// The command that starts the program, perhaps elsewhere (--runner); empty: it is started here.
  std::string runner = {};
  /// Limits of the whole process.
  ProgramLimits limits = ProgramLimits();
};

struct RunResult {
  /// The name of the status code; "CRASHED" when the program ended in this run.
  std::string status, message, node, tensor;
  /// A fault that the driver itself found: memory written past its end, results that change from
  /// run to run.
  std::string fault;
  /// Duration of the request, repeated runs together, without timed ones.
  int64_t nanoseconds = 0;
  std::vector<TensorData> outputs;
  /// By the names of docs/cli.md; sorted.
  llvm::json::Object counters;
  /// Nanoseconds of each timed run.
  std::vector<int64_t> times;
  /// In the order of their first calls; none unless built with CAMEO_PROFILE.
  std::vector<KernelProfile> profile;
  /// As they came, but for those behind the first million.
  std::vector<KernelCall> calls;
  int64_t callsLeftOut = 0;
  /// Nanoseconds of the run that they are of: on a device one of its own, which they slow.
  int64_t profiledRun = 0;
};

/// The names of a space in --space; none for another word.
std::optional<int> parseSpace(llvm::StringRef name);

/// Runs all requests in one process on one context. As many results as requests, "CRASHED" those
/// that the program or a limit ended; `problem` on failure to start, or when the program says what
/// no driver says.
std::vector<RunResult> runProgram(const std::string &program, const RunFlags &flags,
                                  const std::vector<RunRequest> &requests,
                                  std::vector<std::string> &outputNames,
                                  std::optional<Diagnostic> &problem);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_DRIVER_H
