// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Common.h"

#include "Dialect/Core/IR/TypeReport.h"
#include "Pipeline/ExternalOperators.h"
#include "Pipeline/OutputFolder.h"
#include "Progress.h"
#include "Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace cameo;
using namespace cameo::cli;

/// The words of --precision, from the least exact one on.
static std::vector<std::string> getPrecisions() {
  std::vector<std::string> words;
  for (uint32_t number = 0; number <= core::getMaxEnumValForPrecision(); ++number)
    words.push_back(core::stringifyPrecision(static_cast<core::Precision>(number)).str());
  return words;
}

void ModelFlags::addTo(CLI::App &verb, bool withEmulator, Models count) {
  CLI::Option *model = verb.add_option("model", models, "the ONNX file, - for standard input");
  model->required()->expected(1, count == Models::One ? 1 : CLI::detail::expected_max_vector_size);
  auto startGroup = [&](const char *title) { verb.option_defaults()->group(title); };
  startGroup("Steering");
  std::vector<std::string> names;
  for (const Platform *known : getPlatforms())
    if (withEmulator || !known->isEmulator)
      names.push_back(known->name.str());
  verb.add_option("--target", platform,
                  fmt::format("where the program runs (default {})", platform))
      ->check(CLI::IsMember(names));
  verb.add_option("--dim", dims, "what is known of a dim: n=4 or n=1..64; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--counted-dim", countedDims,
                  "a dim of inputs that the device counts: an input of its name tells how much of "
                  "them there is; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--rank", ranks,
                  "how many dims an input without a shape has: x=4; may be repeated")
      ->allow_extra_args(false);
  verb.add_option(
          "--assert", asserts,
          "what is known of values: 'k in 1..64', 'y.shape[0] == 4 * batch'; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--value", values, "what a value is: k=5 or pads=[0,0,1,1]; may be repeated")
      ->allow_extra_args(false);
  verb.add_option(
          "--place", pins,
          "where values live whose names match: REGEX=host or REGEX=device; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--plan", givenPlan,
                  "place values and choose kernels as this file of --emit-plan has them");
  verb.add_option("--fallback", fallback,
                  "host: what the device has no kernel for runs on the host; refuse (default)")
      ->check(CLI::IsMember({"refuse", "host"}));
  verb.add_option("--algebra", algebra,
                  "off: integers that shapes follow from are computed, not replaced by dims")
      ->check(CLI::IsMember({"on", "off"}));
  verb.add_option("--precision", precision,
                  "what may be traded for speed: fast (default, errors to 2e-5 of the largest "
                  "element), strict (as exact as the definition), exact (the definition itself); "
                  "tf32, bf16 and fp16: fast, and products of f32 on a device are of that type")
      ->check(CLI::IsMember(getPrecisions()));
  verb.add_flag("--strided-outputs", stridesOutputs,
                "write outputs in place at strides of the caller's, where kernels can");
  verb.add_option("--weights-budget", weightsBudget,
                  "how many times the model's weights the program's may be, where kernels have a "
                  "choice (default 2, or 16 MiB more)")
      ->check(CLI::Range(1.0, 1e6));
  // By a function, which is called only where the flag is given.
  verb.add_flag_function(
      "--freeze-initializers,!--no-freeze-initializers",
      [this](int64_t count) { freezeInitializers = count > 0; },
      "make constants of initializers that are also inputs (default where all "
      "are)");
  verb.add_option("--zipmap", zipmap,
                  "an output that is a sequence of maps: tensor (of their values, default) or "
                  "refuse")
      ->check(CLI::IsMember({"tensor", "refuse"}));
  verb.add_option("--external", externals,
                  "operators of your own, which this JSON file declares; may be repeated")
      ->allow_extra_args(false);
  startGroup("Limits and checks");
  verb.add_flag("--reject-warnings", rejectWarnings,
                "refuse (exit 4) a model that there is something to warn of");
  verb.add_option("--max-nodes", limits.maxNodes, "nodes, functions inlined");
  verb.add_option("--max-weight-bytes", limits.maxWeightBytes, "bytes of all weights");
  verb.add_option("--max-structure-bytes", limits.maxStructureBytes, "memory for the graph itself");
  verb.add_option("--max-tensor-bytes", limits.maxTensorBytes,
                  "bytes of one value whose size is fixed");
  verb.add_option("--max-branch-growth", maxBranchGrowth,
                  "operators, as a multiple of the model's, where branches differ in rank");
  verb.add_option("--assert-readbacks", maxReadbacks,
                  "fail (exit 8) when the plan reads back more values from the device");
  verb.add_flag("--assert-no-sync", assertNoSync,
                "fail (exit 8) when a run would wait for the device");
  startGroup("Steering");
  verb.add_option("--emit-plan", planFile,
                  "write the placement, and the variants of kernels, to this file");
}

ModelFlags ModelFlags::forModel(const std::string &path) const {
  ModelFlags others = *this;
  others.models = {path};
  for (std::vector<std::string> *named : {&others.dims, &others.countedDims, &others.ranks,
                                          &others.asserts, &others.values, &others.pins})
    named->clear();
  others.planFile.clear();
  others.givenPlan.clear();
  others.assertNoSync = false;
  others.maxReadbacks.reset();
  return others;
}

const Platform &ModelFlags::getPlatform() const { return *findPlatform(platform); }

std::optional<Diagnostic> ModelFlags::read(Options &options) const {
  for (const std::string &dim : dims) {
    auto [name, range] = llvm::StringRef(dim).split('=');
    auto [low, high] = range.split("..");
    int64_t min = 0, max = 0;
    bool isRange = range.contains("..");
    if (name.empty() || low.getAsInteger(10, min) || (isRange && high.getAsInteger(10, max)) ||
        min < 0 || (isRange && max < min))
      return Diagnostic{ExitClass::Usage, "cameo", "",
                        "--dim " + quoteText(dim) + " cannot be read (need name=4 or name=1..64)",
                        ""};
  }
  options.import = limits;
  options.import.countedDims = countedDims;
  for (const std::string &text : ranks) {
    auto [name, number] = llvm::StringRef(text).rsplit('=');
    int64_t rank = 0;
    if (name.empty() || number.getAsInteger(10, rank) || rank < 0 || rank > kMaxRank)
      return Diagnostic{ExitClass::Usage, "cameo", "",
                        fmt::format("--rank {} cannot be read (need name=4, at most {})",
                                    quoteText(text), kMaxRank),
                        ""};
    options.import.ranks[name.str()] = rank;
  }
  for (const std::string &file : externals)
    if (auto problem = readExternalOperators(file, options.import.externals))
      return problem;
  options.dims = dims;
  options.asserts = asserts;
  options.values = values;
  options.pins = pins;
  options.algebra = algebra == "on";
  options.fallsBackToHost = fallback == "host";
  options.stridesOutputs = stridesOutputs;
  options.precision = *core::symbolizePrecision(precision);
  if (auto problem = readPlan(options.plan))
    return problem;
  options.maxBranchGrowth = maxBranchGrowth;
  options.weightsBudget = weightsBudget;
  options.import.freezeInitializers = freezeInitializers;
  options.import.rejectWarnings = rejectWarnings;
  options.import.refusesMaps = zipmap == "refuse";
  options.emit.target = getPlatform().target;
  options.emit.version = CAMEO_VERSION;
  options.explainPlacement = asksForPlacement();
  options.explainKernels = !planFile.empty();
  return std::nullopt;
}

std::optional<Diagnostic> ModelFlags::readPlan(PlacementPlan &plan) const {
  if (givenPlan.empty())
    return std::nullopt;
  // That of a model with a million values.
  constexpr int64_t kMaxPlanBytes = 512 << 20;
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (auto problem = readInputFile(givenPlan, kMaxPlanBytes, file))
    return problem;
  std::string error;
  llvm::FailureOr<PlacementPlan> read = PlacementPlan::read(file->getBuffer(), error);
  if (failed(read))
    return Diagnostic{ExitClass::Usage, givenPlan, "", "--plan: " + escapeText(error), ""};
  plan = std::move(*read);
  return std::nullopt;
}

std::optional<Diagnostic> ModelFlags::checkGates(const PlacementReport &report) const {
  int64_t allowed = assertNoSync ? 0 : maxReadbacks.value_or(INT64_MAX);
  if (report.readbacks <= allowed && !(assertNoSync && report.blockingSyncs > 0))
    return std::nullopt;
  std::string list;
  for (const PlacementReport::Crossing &crossing : report.crossings)
    if (crossing.kind == "fetch")
      list += fmt::format("{}{} ({} bytes, to {})", list.empty() ? "" : ", ", crossing.value,
                          core::describeExtent(crossing.bytes),
                          crossing.consumers.empty() ? "nothing" : crossing.consumers.front());
  return Diagnostic{ExitClass::CheckFailed, getModel(), "",
                    fmt::format("{} values are read back from the device (allowed {}): {}",
                                report.readbacks, allowed, list),
                    "cameo explain says what would remove each"};
}

std::optional<PipelineResult> cameo::cli::compile(const ModelFlags &flags, const Options &options,
                                                  Diagnostic &problem, StageObserver after) {
  std::optional<Diagnostic> refusal;
  auto progress = std::make_unique<Progress>("reading the model");
  PlacementReport placement;
  PlacementPlan plan;
  auto observer = [&](Stage stage, mlir::ModuleOp module) {
    progress->update(fmt::format("compiling, {} is done", getStageName(stage)));
    std::vector<std::string> told;
    if (stage == Stage::Import)
      plan = getSteering(options, module, told);
    if (stage == Stage::Place && flags.asksForPlacement()) {
      placement = makePlacementReport(module, options.emit.target->device.has_value());
      plan.sides = getSides(module);
    }
    if (stage == Stage::Plan && flags.asksForPlacement()) {
      addPlanned(placement, module);
      refusal = flags.checkGates(placement);
      if (!refusal && !flags.getPlanFile().empty()) {
        llvm::json::Object report = placement.toJson();
        plan.variants = getChosenVariants(module);
        plan.addTo(report);
        refusal = writeFile(flags.getPlanFile(), formatJson(std::move(report)));
      }
      if (refusal)
        return false;
    }
    return after(stage, module);
  };
  PipelineResult result = compileModel(flags.getModel(), options, observer);
  progress.reset();
  if (!refusal)
    refusal = result.diagnostic;
  if (refusal) {
    problem = std::move(*refusal);
    return std::nullopt;
  }
  for (const std::string &warning : result.warnings)
    fmt::print(stderr, "warning: {}\n", warning);
  return result;
}

std::vector<std::string> cameo::cli::listGiven(const std::vector<CLI::Option *> &options) {
  std::vector<std::string> words;
  for (const CLI::Option *option : options)
    if (!option->get_positional())
      for (const std::string &value : option->results())
        words.push_back(option->get_name() + "=" + value);
  return words;
}

int cameo::cli::report(const Diagnostic &diagnostic) {
  fmt::print(stderr, "{}\n", diagnostic.str());
  return static_cast<int>(diagnostic.exitClass);
}

int cameo::cli::print(llvm::StringRef text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return 0;
  return report(
      {ExitClass::Io, "<stdout>", "", fmt::format("cannot be written: {}", strerror(errno)), ""});
}

int cameo::cli::printTo(const std::string &path, llvm::StringRef text) {
  if (path == "-")
    return print(text);
  std::optional<Diagnostic> problem = writeFile(path, text);
  return problem ? report(*problem) : 0;
}

std::optional<Diagnostic> cameo::cli::writeData(const std::string &folder,
                                                const std::map<std::string, std::string> &files) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Diagnostic{ExitClass::Io, folder, "", "cannot be made: " + error.message(), ""};
  for (const auto &[name, content] : files)
    if (auto problem = writeFile(folder + "/" + name, content))
      return problem;
  return std::nullopt;
}

llvm::json::Object cameo::cli::toJson(const Diagnostic &problem) {
  llvm::json::Object report{{"exit", static_cast<int64_t>(problem.exitClass)},
                            {"message", problem.str()}};
  if (!problem.where.empty())
    report["where"] = llvm::json::fixUTF8(problem.where);
  return report;
}
