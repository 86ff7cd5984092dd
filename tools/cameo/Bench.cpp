// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo bench: builds a model for this machine, its processor or its device, and times it, as a
// whole and by kernel.

#include "BenchKernels.h"
#include "BenchProfile.h"
#include "Common.h"
#include "ManyModels.h"
#include "ModelInputs.h"
#include "NativeBuild.h"
#include "Plan/ArenaNeed.h"
#include "Progress.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <thread>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

class BenchVerb {
public:
  ModelFlags flags;
  ModelInputs inputs;
  std::string cxxFlags = "-march=native", jsonFile, traceFile, predictedFile;
  /// `FILE` or `WHAT=FILE`.
  std::vector<std::string> nodeData;
  std::vector<double> percentiles;
  double seconds = 3;
  int threads = 1;
  bool withProfile = false, withSamples = false;
  BuildFlags build;
  ManyModels many;

  int run();

private:
  /// Does it all, but for the report.
  std::optional<Diagnostic> execute();
  std::optional<Diagnostic> check() const;
  bool hasDevice() const { return flags.getPlatform().target->device.has_value(); }
  /// Whether kernels tell what they take.
  bool isProfiled() const { return withProfile || !traceFile.empty() || !nodeData.empty(); }
  /// Measures the memory that the program needs for the extents of the inputs.
  void measureMemory(mlir::ModuleOp planned);
  std::optional<Diagnostic> measureText(const NativeProgram &program, StringRef library);
  std::optional<Diagnostic> time(const NativeProgram &program);
  std::string formatText() const;
  json::Object getJson() const;
  json::Object describe() const;
  int write() const;
  int writeViews() const;

  double compileSeconds = 0, buildSeconds = 0;
  std::optional<ArenaNeed> arena;
  int64_t weightsBytes = 0, textBytes = 0;
  KernelTable kernels;
  RunResult result;
  /// Times of the runs, the shortest first.
  std::vector<int64_t> sorted;
  std::optional<BenchProfile> byNode;
};

std::optional<Diagnostic> BenchVerb::check() const {
  if (!predictedFile.empty() && (!withProfile || !hasDevice()))
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      "--predicted has times of a device's kernels, and this is no profile of any",
                      "--target cuda --profile shows them side by side"};
  for (StringRef text : nodeData)
    if (text.contains('=') && !isNodeDataKind(text.split('=').first))
      return Diagnostic{ExitClass::Usage, "cameo", "",
                        "--node-data " + quoteText(text) + " is of nothing known",
                        "FILE, time=FILE, bytes=FILE or flops=FILE"};
  return std::nullopt;
}

void BenchVerb::measureMemory(mlir::ModuleOp planned) {
  auto main = planned.lookupSymbol<mlir::func::FuncOp>("main");
  arena = getArenaNeed(main, inputs.getSymbolValues());
  if (auto bytes = planned->getAttrOfType<mlir::IntegerAttr>("prog.weights_bytes"))
    weightsBytes = bytes.getInt();
}

/// The functions of the generated code and of the templates it uses, some of which no symbol names
/// the model of: both are in an inline namespace of the instruction set.
std::optional<Diagnostic> BenchVerb::measureText(const NativeProgram &program, StringRef library) {
  auto binary = llvm::object::ObjectFile::createObjectFile(program.path);
  if (!binary)
    return Diagnostic{ExitClass::Io, program.path, "",
                      "cannot be read: " + llvm::toString(binary.takeError()), ""};
  std::string space = fmt::format("cameo::gen::{}_net::", std::string(library)), templates;
  std::vector<std::pair<std::string, uint64_t>> functions;
  for (const llvm::object::ELFSymbolRef symbol :
       llvm::dyn_cast<llvm::object::ELFObjectFileBase>(binary->getBinary())->symbols()) {
    llvm::Expected<StringRef> mangled = symbol.getName();
    if (!mangled) {
      llvm::consumeError(mangled.takeError());
    } else if (symbol.getELFType() == llvm::ELF::STT_FUNC) {
      StringRef name = functions.emplace_back(llvm::demangle(*mangled), symbol.getSize()).first;
      if (templates.empty() && name.consume_front(space))
        templates = "cameo::cpu::" + name.split("::").first.str() + "::";
    }
  }
  textBytes = 0;
  for (const auto &[name, size] : functions)
    if (StringRef(name).contains(space) ||
        (!templates.empty() && StringRef(name).contains(templates)))
      textBytes += static_cast<int64_t>(size);
  return std::nullopt;
}

std::optional<Diagnostic> BenchVerb::time(const NativeProgram &program) {
  RunRequest request;
  request.inputs = inputs.getData();
  request.milliseconds = std::max<int64_t>(1, std::llround(seconds * 1000));
  RunFlags runFlags{threads};
  runFlags.limits = build.limits.extended(seconds);
  runFlags.roofline = withProfile && !hasDevice() ? &kernels.roofline : nullptr;
  runFlags.device = hasDevice() ? &kernels.device.emplace() : nullptr;
  std::vector<std::string> names;
  std::optional<Diagnostic> problem;
  Progress progress("timing");
  std::vector<RunResult> results = runProgram(program.path, runFlags, {request}, names, problem);
  if (problem)
    return problem;
  result = std::move(results.front());
  if (result.status != "OK")
    return Diagnostic{ExitClass::CheckFailed, flags.getModel(), "",
                      fmt::format("the run ended with {}: {}", result.status, result.message), ""};
  if (!result.fault.empty())
    return Diagnostic{ExitClass::Internal, flags.getModel(), "", result.fault, ""};
  sorted = result.times;
  llvm::sort(sorted);
  return std::nullopt;
}

double getMilliseconds(llvm::ArrayRef<int64_t> sorted, double share) {
  size_t place = static_cast<size_t>(share * static_cast<double>(sorted.size()));
  return static_cast<double>(sorted[std::min(place, sorted.size() - 1)]) * 1e-6;
}

/// The model and the conditions of the measurement.
json::Object BenchVerb::describe() const {
  return json::Object{{"model", json::fixUTF8(flags.getModel())},
                      {"target", flags.getPlatform().name},
                      {"cpu", llvm::sys::getHostCPUName()},
                      {"cxxflags", json::fixUTF8(cxxFlags)},
                      {"threads", threads},
                      {"emulated", flags.getPlatform().isEmulator}};
}

json::Object BenchVerb::getJson() const {
  json::Object report{{"schema", 1},
                      {"min_ms", getMilliseconds(sorted, 0)},
                      {"median_ms", getMilliseconds(sorted, 0.5)},
                      {"p99_ms", getMilliseconds(sorted, 0.99)},
                      {"runs", static_cast<int64_t>(result.times.size())},
                      {"arena_bytes", nullptr},
                      {"arena_lower_bound", nullptr},
                      {"weights_bytes", weightsBytes},
                      {"text_bytes", textBytes},
                      {"compile_s", compileSeconds},
                      {"build_s", buildSeconds}};
  if (arena) {
    report["arena_bytes"] = arena->bytes;
    report["arena_lower_bound"] = arena->lowerBound;
  }
  for (auto &[name, value] : describe())
    report[name] = std::move(value);
  if (kernels.device)
    report["device"] = kernels.describeDevice();
  if (!percentiles.empty()) {
    json::Array rows;
    for (double percent : percentiles)
      rows.push_back(
          json::Object{{"percent", percent}, {"ms", getMilliseconds(sorted, percent / 100)}});
    report["percentiles"] = std::move(rows);
  }
  if (withSamples) {
    json::Array samples;
    for (int64_t nanoseconds : result.times)
      samples.push_back(static_cast<double>(nanoseconds) * 1e-6);
    report["samples_ms"] = std::move(samples);
  }
  if (!withProfile)
    return report;
  kernels.addTo(report, result.profile);
  report["by_node"] = byNode->toJson();
  return report;
}

std::string formatBytes(double bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit)
    bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string BenchVerb::formatText() const {
  std::string text;
  if (flags.getPlatform().isEmulator)
    text = "these are times of the emulator on this CPU: they say nothing of a GPU\n";
  text += fmt::format(
      "{:.4f} ms at least, median {:.4f}, p99 {:.4f}: {} runs on {} threads, built with -O3 {}\n",
      getMilliseconds(sorted, 0), getMilliseconds(sorted, 0.5), getMilliseconds(sorted, 0.99),
      result.times.size(), threads, escapeText(cxxFlags));
  text += fmt::format("arena {}, weights {}, code {}; compiled in {:.2f} s, built in {:.2f} s\n",
                      arena ? fmt::format("{} (at least {} alive at once)",
                                          formatBytes(static_cast<double>(arena->bytes)),
                                          formatBytes(static_cast<double>(arena->lowerBound)))
                            : "sized in the run",
                      formatBytes(static_cast<double>(weightsBytes)),
                      formatBytes(static_cast<double>(textBytes)), compileSeconds, buildSeconds);
  for (double percent : percentiles)
    text += fmt::format("{:7.4f} ms at most in {}% of the runs\n",
                        getMilliseconds(sorted, percent / 100), percent);
  if (!withProfile)
    return text;
  return text + kernels.toText(result.profile) + byNode->toText();
}

/// The files of --trace and --node-data.
int BenchVerb::writeViews() const {
  if (!traceFile.empty())
    if (int failed = printTo(traceFile, formatJson(byNode->makeTrace(describe()))))
      return failed;
  for (StringRef text : nodeData) {
    auto [what, file] = text.contains('=') ? text.split('=') : std::pair(StringRef("time"), text);
    if (int failed = printTo(file.str(), formatJson(byNode->makeNodeData(what))))
      return failed;
  }
  return 0;
}

int BenchVerb::write() const {
  if (int failed = writeViews())
    return failed;
  if (!jsonFile.empty())
    if (int failed = printTo(jsonFile, formatJson(getJson())))
      return failed;
  return jsonFile == "-" ? 0 : print(formatText());
}

std::optional<Diagnostic> BenchVerb::execute() {
  if (auto problem = check())
    return problem;
  if (!predictedFile.empty())
    if (auto problem = kernels.predictions.emplace().read(predictedFile))
      return problem;
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  options.emit.name = makeLibraryName(flags.getModel());
  Diagnostic refusal;
  std::optional<Diagnostic> unfilled;
  auto observer = [&](Stage stage, mlir::ModuleOp module) {
    if (stage == Stage::Shape) {
      inputs.readSignature(module.lookupSymbol<mlir::func::FuncOp>("main"));
      unfilled = inputs.fill(flags.getModel());
    }
    if (stage == Stage::Plan)
      measureMemory(module);
    return !unfilled;
  };
  auto start = std::chrono::steady_clock::now();
  std::optional<PipelineResult> compiled = compile(flags, options, refusal, observer);
  compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!compiled)
    return refusal;
  if (unfilled)
    return unfilled;

  NativeProgram program;
  BuildFlags timed = build;
  timed.cxx = cxxFlags + (isProfiled() ? " -DCAMEO_PROFILE=1" : "");
  if (auto problem = buildProgram({{options.emit.name, &compiled->files}}, flags.getPlatform(),
                                  timed, program))
    return problem;
  buildSeconds = program.seconds;
  if (auto problem = measureText(program, options.emit.name))
    return problem;
  if (threads == 0)
    threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (auto problem = time(program))
    return problem;
  if (isProfiled())
    byNode.emplace(result, compiled->files.at(options.emit.name + ".plan.json").getText());
  return std::nullopt;
}

int BenchVerb::run() {
  if (flags.getModels().size() > 1)
    return many.run(flags.getModels(), {jsonFile});
  std::optional<Diagnostic> failure = execute();
  if (!failure)
    return write();
  if (!jsonFile.empty())
    (void)printTo(jsonFile, formatJson(json::Object{{"schema", 1},
                                                    {"model", json::fixUTF8(flags.getModel())},
                                                    {"target", flags.getPlatform().name},
                                                    {"error", toJson(*failure)}}));
  return report(*failure);
}

} // namespace

Verb cameo::cli::addBench(CLI::App &app) {
  CLI::App &verb = addVerb(app, "bench", "build a model for this machine and time it",
                           "cameo bench model.onnx --dim batch=8 --profile");
  auto state = std::make_shared<BenchVerb>();
  state->inputs.addTo(verb);
  verb.add_option("--threads", state->threads, "of the program; 0: one a core (default 1)")
      ->check(CLI::Range(0, 4096));
  state->build.addSourcesTo(verb);
  state->build.limits.addTo(verb);
  verb.add_option("--seconds", state->seconds, "how long it is timed (default 3)")
      ->check(CLI::Range(0.001, 86400.0));
  verb.add_option("--cxxflags", state->cxxFlags, "for the host's compiler (default -march=native)");
  verb.add_flag(
      "--profile", state->withProfile,
      "time each kernel, and hold it against what the machine can do at most; on a device "
      "against what was predicted");
  verb.add_option("--predicted", state->predictedFile,
                  "with --profile on a device: the times that bench/gpu/static predicts of its "
                  "kernels, in this file");
  verb.add_option("--percentiles", state->percentiles,
                  "times that so many percent of the runs keep within: 50,90,99.9")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 100.0));
  verb.add_flag("--samples", state->withSamples, "every run's time, in the report of --json");
  verb.add_option("--trace", state->traceFile,
                  "write the kernels of the fastest run to this file, in Chrome's trace format");
  verb.add_option(
          "--node-data", state->nodeData,
          "write time=FILE (or FILE), bytes=FILE or flops=FILE by node, for Model Explorer; "
          "may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--json", state->jsonFile,
                  "write the report to this file, - for standard output");
  state->many.addTo(verb, {"--emit-plan", "--trace", "--node-data"}, /*isTimed=*/true);
  state->flags.addTo(verb, /*withEmulator=*/true, ModelFlags::Models::Many);
  return [state] { return state->run(); };
}
