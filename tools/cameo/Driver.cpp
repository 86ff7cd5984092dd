// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver.h"

#include "Compare.h"
#include "NativeBuild.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

constexpr llvm::StringLiteral kSpaces[] = {"host", "pinned", "device", "managed", "null"};

void writeStrides(llvm::raw_ostream &stream, const char *kind, size_t number,
                  const Placement &place) {
  if (place.pad == 0 && place.strides.empty())
    return;
  stream << "strides " << kind << ' ' << number << ' ' << place.pad << ' ' << place.strides.size();
  for (int64_t stride : place.strides)
    stream << ' ' << stride;
  stream << '\n';
}

/// The bytes of a tensor in the driver's protocol.
std::string getPayload(const TensorData &tensor) {
  if (!isStrings(tensor))
    return {tensor.bytes.begin(), tensor.bytes.end()};
  std::string payload;
  for (const std::string &text : tensor.strings) {
    char size[sizeof(uint64_t)];
    llvm::support::endian::write64le(size, text.size());
    payload.append(size, sizeof size).append(text);
  }
  return payload;
}

/// Takes the bytes apart; false where they are no strings.
bool readStrings(StringRef payload, std::vector<std::string> &strings) {
  while (!payload.empty()) {
    if (payload.size() < sizeof(uint64_t))
      return false;
    uint64_t size = llvm::support::endian::read64le(payload.data());
    payload = payload.drop_front(sizeof(uint64_t));
    if (size > payload.size())
      return false;
    strings.push_back(payload.take_front(size).str());
    payload = payload.drop_front(size);
  }
  return true;
}

void writeRequest(llvm::raw_ostream &stream, const RunRequest &request) {
  stream << "case " << request.repeat << '\n';
  if (request.milliseconds > 0)
    stream << "time " << request.milliseconds << '\n';
  for (auto [number, input] : llvm::enumerate(request.inputs)) {
    if (!input) {
      stream << "absent\n";
      continue;
    }
    Placement place =
        number < request.inputPlaces.size() ? request.inputPlaces[number] : Placement();
    stream << "input " << input->elementType << ' ' << place.space << ' ' << place.offset << ' '
           << input->dims.size();
    for (int64_t dim : input->dims)
      stream << ' ' << dim;
    std::string payload = getPayload(*input);
    stream << ' ' << payload.size() << '\n' << payload << '\n';
    writeStrides(stream, "in", number, place);
  }
  for (auto [number, place] : llvm::enumerate(request.outputPlaces)) {
    if (place.space >= 0)
      stream << "space " << number << ' ' << place.space << '\n';
    writeStrides(stream, "out", number, place);
  }
  for (auto [input, output] : request.connections)
    stream << "connect " << input << ' ' << output << '\n';
  for (auto [input, output, axis] : request.counts)
    stream << "count " << input << ' ' << output << ' ' << axis << '\n';
  for (auto [input, output] : request.carried)
    stream << "carry " << input << ' ' << output << '\n';
  for (auto [output, input] : request.updates)
    stream << "update " << output << ' ' << input << '\n';
  stream << "run\n";
}

/// The driver's answer, read from the front; `isValid` turns false at the first thing out of place.
class Answer {
public:
  explicit Answer(StringRef rest) : rest(rest) {}

  bool isValid() const { return valid; }
  bool isAtEnd() const { return rest.empty(); }
  bool consume(StringRef word) { return rest.consume_front(word); }
  void refuse() { valid = false; }
  void expect(StringRef word) { valid &= valid && rest.consume_front(word); }
  /// Up to the next blank.
  std::string word() {
    auto [first, behind] = rest.split(' ');
    valid &= valid && !first.empty() && first.size() < rest.size();
    rest = behind;
    return first.str();
  }
  double fraction() {
    StringRef text = rest = rest.ltrim(' ');
    text = text.take_front(text.find_first_of(" \n"));
    double value = 0;
    valid &= !text.getAsDouble(value);
    rest = rest.drop_front(text.size());
    return value;
  }
  int64_t number() {
    rest = rest.ltrim(' ');
    int64_t value = 0;
    valid &= !rest.consumeInteger(10, value);
    return value;
  }
  /// The bytes behind the rest of the line.
  StringRef payload(int64_t bytes) {
    expect("\n");
    if (!valid || bytes < 0 || static_cast<uint64_t>(bytes) > rest.size()) {
      valid = false;
      return "";
    }
    StringRef data = rest.take_front(static_cast<size_t>(bytes));
    rest = rest.drop_front(static_cast<size_t>(bytes));
    expect("\n");
    return data;
  }
  /// `KEY LENGTH newline TEXT newline`.
  std::string text(StringRef key) {
    expect(key);
    int64_t bytes = number();
    return payload(bytes).str();
  }

private:
  StringRef rest;
  bool valid = true;
};

RunResult readResult(Answer &answer) {
  RunResult result;
  answer.expect("case");
  result.nanoseconds = answer.number();
  answer.expect("\n");
  result.status = answer.text("status");
  result.message = answer.text("message");
  result.node = answer.text("node");
  result.tensor = answer.text("tensor");
  result.fault = answer.text("fault");
  answer.expect("counters\n");
  while (answer.isValid() && !answer.consume("outputs")) {
    std::string counter = answer.word();
    result.counters[counter] = answer.number();
    answer.expect("\n");
  }
  int64_t count = answer.number();
  answer.expect("\n");
  for (int64_t number = 0; number < count && answer.isValid(); ++number) {
    TensorData output;
    answer.expect("output");
    output.elementType = static_cast<int32_t>(answer.number());
    int64_t rank = answer.number();
    for (int64_t axis = 0; axis < rank && answer.isValid(); ++axis)
      output.dims.push_back(answer.number());
    int64_t bytes = answer.number();
    StringRef data = answer.payload(bytes);
    if (!isStrings(output))
      output.bytes.assign(data.begin(), data.end());
    else if (!readStrings(data, output.strings))
      answer.refuse();
    result.outputs.push_back(std::move(output));
  }
  return result;
}

/// Reads the part of a timed case that stands behind its outputs.
void readTimes(Answer &answer, RunResult &result) {
  answer.expect("times");
  int64_t count = answer.number();
  answer.expect("\n");
  for (int64_t number = 0; number < count && answer.isValid(); ++number) {
    result.times.push_back(answer.number());
    answer.expect("\n");
  }
  answer.expect("profile");
  count = answer.number();
  answer.expect("\n");
  for (int64_t number = 0; number < count && answer.isValid(); ++number) {
    KernelProfile &row = result.profile.emplace_back();
    row.calls = answer.number();
    row.nanoseconds = answer.number();
    row.bytes = answer.number();
    row.operations = answer.number();
    row.kernel = answer.text("");
  }
  answer.expect("calls");
  count = answer.number();
  result.callsLeftOut = answer.number();
  result.profiledRun = answer.number();
  answer.expect("\n");
  for (int64_t number = 0; number < count && answer.isValid(); ++number) {
    KernelCall &call = result.calls.emplace_back();
    call.kernel = static_cast<size_t>(answer.number());
    call.start = answer.number();
    call.nanoseconds = answer.number();
    call.bytes = answer.number();
    call.operations = answer.number();
    answer.expect("\n");
    if (call.kernel >= result.profile.size())
      answer.refuse();
  }
}

void readRoofline(Answer &answer, Roofline &roofline) {
  answer.expect("roofline");
  roofline.operationsPerSecond = answer.fraction();
  answer.expect("\nlevels");
  int64_t count = answer.number();
  answer.expect("\n");
  for (int64_t number = 0; number < count && answer.isValid(); ++number) {
    Roofline::Level &level = roofline.levels.emplace_back();
    level.name = answer.word();
    level.bytes = answer.number();
    level.bytesPerSecond = answer.fraction();
    answer.expect("\n");
  }
}

void readDevice(Answer &answer, DeviceFacts &device) {
  answer.expect("device");
  for (int64_t *fact : {&device.major, &device.minor, &device.multiprocessors})
    *fact = answer.number();
  answer.expect("\n");
}

std::string readLine(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  return text ? escapeText((*text)->getBuffer().split('\n').first, 400) : "";
}

} // namespace

std::optional<int> cameo::cli::parseSpace(StringRef name) {
  for (auto [number, space] : llvm::enumerate(kSpaces))
    if (space == name)
      return static_cast<int>(number);
  return std::nullopt;
}

std::vector<RunResult> cameo::cli::runProgram(const std::string &program, const RunFlags &flags,
                                              const std::vector<RunRequest> &requests,
                                              std::vector<std::string> &outputNames,
                                              std::optional<Diagnostic> &problem) {
  auto fail = [&](std::string text, ExitClass exitClass) {
    problem = Diagnostic{exitClass, "cameo", "", std::move(text), ""};
    return std::vector<RunResult>();
  };
  ScratchFolder scratch;
  problem = scratch.make();
  if (problem)
    return {};
  std::string request = scratch.getPath() + "/request", answerFile = scratch.getPath() + "/answer",
              log = scratch.getPath() + "/log";
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(request, error);
    if (!error) {
      stream << "threads " << flags.threads << '\n'
             << (flags.userStreams ? "streams\n" : "") << (flags.roofline ? "roofline\n" : "")
             << (flags.device ? "device\n" : "");
      for (const RunRequest &one : requests)
        writeRequest(stream, one);
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      return fail("cannot write " + request + ": " + error.message(), ExitClass::Io);
  }

  ProgramEnd end = flags.runner.empty()
                       ? runCommand({program}, request, answerFile, log, flags.limits)
                       : runShell(flags.runner, program, request, answerFile, log, flags.limits);
  auto buffer = llvm::MemoryBuffer::getFile(answerFile);
  if (!buffer || !end.problem.empty())
    return fail("cannot run " + program + ": " + end.problem, ExitClass::Io);
  Answer answer((*buffer)->getBuffer());
  while (answer.isValid() && !answer.consume("ready\n")) {
    if (answer.consume("input_name ")) {
      answer.text("");
      continue;
    }
    outputNames.push_back(answer.text("output_name"));
  }
  if (!flags.runner.empty() && !answer.isValid()) {
    std::string said = readLine(log);
    problem =
        Diagnostic{ExitClass::Io, "cameo", "",
                   fmt::format("--runner {} {} without the program's answer{}{}",
                               quoteText(flags.runner), end.str(), said.empty() ? "" : ": ", said),
                   "it has to start the program in place of {}, and to pass standard input "
                   "and output on and nothing else"};
    return {};
  }
  if (flags.roofline)
    readRoofline(answer, *flags.roofline);
  if (flags.device)
    readDevice(answer, *flags.device);
  std::vector<RunResult> results;
  while (answer.isValid() && !answer.isAtEnd() && results.size() < requests.size()) {
    RunResult result = readResult(answer);
    if (requests[results.size()].milliseconds > 0)
      readTimes(answer, result);
    if (answer.isValid())
      results.push_back(std::move(result));
  }
  if (results.size() < requests.size()) {
    RunResult crashed;
    crashed.status = "CRASHED";
    std::string said = readLine(log);
    crashed.message = fmt::format("the program {}{}{}", end.str(), said.empty() ? "" : ": ", said);
    results.resize(requests.size(), crashed);
  }
  return results;
}
