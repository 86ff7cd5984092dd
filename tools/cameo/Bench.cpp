// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo bench: builds a model for this machine and times it, as a whole and by kernel.

#include "BenchProfile.h"
#include "Common.h"
#include "Driver.h"
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
  std::string cxxFlags = "-march=native", jsonFile, traceFile;
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
  /// Whether kernels tell what they take.
  bool isProfiled() const { return withProfile || !traceFile.empty() || !nodeData.empty(); }
  /// Measures the memory that the program needs for the extents of the inputs.
  void measureMemory(mlir::ModuleOp planned);
  std::optional<Diagnostic> measureText(const NativeProgram &program, StringRef library);
  std::optional<Diagnostic> time(const NativeProgram &program);
  double getBound(const KernelProfile &kernel) const;
  std::string formatText() const;
  json::Object getJson() const;
  json::Object describe() const;
  int write() const;
  int writeViews() const;

  double compileSeconds = 0, buildSeconds = 0;
  std::optional<ArenaNeed> arena;
  int64_t weightsBytes = 0, textBytes = 0;
  Roofline roofline;
  RunResult result;
  /// Times of the runs, the shortest first.
  std::vector<int64_t> sorted;
  std::optional<BenchProfile> byNode;
};

std::optional<Diagnostic> BenchVerb::check() const {
  const Platform &platform = flags.getPlatform();
  if (platform.isEmulator)
    return Diagnostic{
        ExitClass::Usage, "cameo", "",
        fmt::format("times on {} say nothing of a device: it is emulated", platform.name),
        "--target cuda on a machine that has one, or --target cpu"};
  if (isProfiled() && platform.target->device)
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      "--profile, --trace and --node-data time kernels of the host only, and "
                      "--target is a device's",
                      "profilers of the device's maker show each kernel by its name"};
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
  runFlags.roofline = withProfile ? &roofline : nullptr;
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

/// The time below which no machine of this roofline can be: that of its operations or that of its
/// bytes, as if they lay in the nearest level that has room for them.
double BenchVerb::getBound(const KernelProfile &kernel) const {
  auto level = llvm::find_if(roofline.levels, [&](const Roofline::Level &each) {
    return each.bytes >= kernel.bytes / std::max<int64_t>(kernel.calls, 1) || each.bytes == 0;
  });
  return std::max(static_cast<double>(kernel.operations) / roofline.operationsPerSecond,
                  static_cast<double>(kernel.bytes) / level->bytesPerSecond);
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
                      {"threads", threads}};
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
  json::Array levels, kernels;
  for (const Roofline::Level &level : roofline.levels)
    levels.push_back(json::Object{
        {"name", level.name}, {"bytes", level.bytes}, {"bytes_per_s", level.bytesPerSecond}});
  report["roofline"] =
      json::Object{{"flops_per_s", roofline.operationsPerSecond}, {"levels", std::move(levels)}};
  for (const KernelProfile &kernel : result.profile)
    kernels.push_back(json::Object{
        {"kernel", kernel.kernel},
        {"calls", kernel.calls},
        {"ms", static_cast<double>(kernel.nanoseconds) * 1e-6},
        {"bytes", kernel.bytes},
        {"flops", kernel.operations},
        {"roofline",
         getBound(kernel) / std::max(1e-9, static_cast<double>(kernel.nanoseconds) * 1e-9)}});
  report["profile"] = std::move(kernels);
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
  std::string text = fmt::format(
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
  text += fmt::format("roofline: {:.1f} GFLOP/s", roofline.operationsPerSecond * 1e-9);
  for (const Roofline::Level &level : roofline.levels)
    text += fmt::format(", {} {:.1f} GB/s", level.name, level.bytesPerSecond * 1e-9);
  text += "\n\n     ms  share  calls    GFLOP/s     GB/s  roofline  kernel\n";
  std::vector<KernelProfile> kernels = result.profile;
  std::sort(kernels.begin(), kernels.end(), [](const KernelProfile &a, const KernelProfile &b) {
    return std::pair(b.nanoseconds, a.kernel) < std::pair(a.nanoseconds, b.kernel);
  });
  double total = 0;
  for (const KernelProfile &kernel : kernels)
    total += static_cast<double>(kernel.nanoseconds);
  for (const KernelProfile &kernel : kernels) {
    double nanoseconds = std::max(1.0, static_cast<double>(kernel.nanoseconds));
    text += fmt::format("{:7.4f} {:5.1f}% {:6} {:10.1f} {:8.1f} {:8.0f}%  {}\n", nanoseconds * 1e-6,
                        100 * nanoseconds / std::max(1.0, total), kernel.calls,
                        static_cast<double>(kernel.operations) / nanoseconds,
                        static_cast<double>(kernel.bytes) / nanoseconds,
                        100 * getBound(kernel) / (nanoseconds * 1e-9), escapeText(kernel.kernel));
  }
  return text + byNode->toText();
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
  verb.add_flag("--profile", state->withProfile,
                "time each kernel, and hold it against what the machine can do at most");
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
