// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo compile: a model to a folder of C++, or to the IR of a stage.

#include "Common.h"
#include "ManyModels.h"

#include "Emit/CppNames.h"
#include "Pipeline/OutputFolder.h"

#include "llvm/Support/Path.h"

using namespace cameo;
using namespace cameo::cli;

namespace {

struct CompileVerb {
  ModelFlags flags;
  std::string output, name, weights = "embed", heap = "runtime", emit = "cpp";
  int threads = 1;
  bool noRuntime = false;
  ManyModels many;

  int run() const;

private:
  /// As it is printed into the generated files: no folder of this machine, defaults left out.
  std::string describeCommand(const Options &options) const;
  int printStage(const Options &options, Stage stage) const;
};

std::string CompileVerb::describeCommand(const Options &options) const {
  std::string command = "cameo compile " + llvm::sys::path::filename(flags.getModel()).str();
  if (options.emit.target != &getDefaultTarget())
    command += " --target " + options.emit.target->name.str();
  for (const std::string &dim : options.dims)
    command += " --dim " + dim;
  for (const std::string &dim : options.import.countedDims)
    command += " --counted-dim " + dim;
  for (const auto &[input, rank] : options.import.ranks)
    command += " --rank " + input + "=" + std::to_string(rank);
  auto add = [&](llvm::StringRef flag, llvm::ArrayRef<std::string> texts) {
    for (const std::string &text : texts)
      command += (" " + flag + " '" + text + "'").str();
  };
  add("--assert", options.asserts);
  add("--value", options.values);
  add("--place", options.pins);
  if (options.fallsBackToHost)
    command += " --fallback host";
  if (options.precision != core::Precision::Fast)
    command += (" --precision " + core::stringifyPrecision(options.precision)).str();
  if (!options.algebra)
    command += " --algebra off";
  if (options.import.freezeInitializers)
    command +=
        *options.import.freezeInitializers ? " --freeze-initializers" : " --no-freeze-initializers";
  if (!name.empty())
    command += " --name " + name;
  if (weights != "embed")
    command += " --weights " + weights;
  if (heap != "runtime")
    command += " --heap " + heap;
  if (threads == 0)
    command += " --threads 0";
  if (noRuntime)
    command += " --no-runtime";
  return command;
}

int CompileVerb::printStage(const Options &options, Stage wanted) const {
  std::string text;
  Diagnostic problem;
  auto observer = [&](Stage stage, mlir::ModuleOp module) {
    if (stage != wanted)
      return true;
    llvm::raw_string_ostream stream(text);
    mlir::OpPrintingFlags printing;
    printing.elideLargeElementsAttrs().elideLargeResourceString();
    module.print(stream, printing);
    stream << '\n';
    return false;
  };
  if (!compile(flags, options, problem, observer))
    return report(problem);
  return printTo(output.empty() ? "-" : output, text);
}

int CompileVerb::run() const {
  if (flags.getModels().size() > 1)
    return many.run(flags.getModels(), {"", "", output});
  Options options;
  options.freesMemory = false;
  options.listsParts = true;
  if (auto problem = flags.read(options))
    return report(*problem);
  if (!name.empty() && !isLibraryName(name))
    return report({ExitClass::Usage, "cameo", "",
                   "--name " + quoteText(name) + " cannot name a library",
                   "letters, digits and single underscores, no reserved word, at most 48"});
  const Target &target = *options.emit.target;
  if (!target.hasSwitches && (heap == "none" || threads == 0))
    return report({ExitClass::Usage, "cameo", "",
                   "--heap none and --threads 0 are not for --target " + target.name.str(),
                   "its runtime takes memory of the device, and has no threads to leave out"});
  options.emit.name = name.empty() ? makeLibraryName(flags.getModel()) : name;
  options.emit.weights = weights == "embed"  ? EmitOptions::Weights::Embed
                         : weights == "file" ? EmitOptions::Weights::File
                                             : EmitOptions::Weights::Extern;
  options.emit.heap = heap == "none" ? EmitOptions::Heap::None : EmitOptions::Heap::Runtime;
  options.emit.threads = threads != 0;
  options.emit.runtimeSources = !noRuntime;
  options.emit.command = describeCommand(options);

  if (llvm::StringRef stageName = emit; stageName.consume_front("ir:")) {
    std::optional<Stage> stage = parseStage(stageName);
    if (!stage)
      return report(
          {ExitClass::Usage, "cameo", "", "there is no stage " + quoteText(stageName),
           "import, shape, simplify, place, layout, structure, fuse, plan, prepare or finish"});
    return printStage(options, *stage);
  }
  if (emit != "cpp")
    return report({ExitClass::Usage, "cameo", "",
                   "--emit " + quoteText(emit) + " is neither cpp nor ir:STAGE", ""});

  Diagnostic failed;
  std::optional<PipelineResult> result = compile(flags, options, failed);
  if (!result)
    return report(failed);
  if (auto problem = writeFolder(output.empty() ? options.emit.name : output, result->files))
    return report(*problem);
  return 0;
}

} // namespace

Verb cameo::cli::addCompile(CLI::App &app) {
  CLI::App &verb = addVerb(app, "compile", "write the folder of C++ or CUDA that a model becomes",
                           "cameo compile model.onnx -o net --dim batch=1..64");
  auto state = std::make_shared<CompileVerb>();
  verb.add_option("-o,--output", state->output,
                  "the folder (default: the name of the library); of several "
                  "models the one that their folders are in");
  verb.add_option("--name", state->name,
                  "of the library, its files and symbols (default: the file's)");
  verb.add_option("--weights", state->weights,
                  "in the program (embed), in a file beside it (file), or given by the "
                  "caller (extern)")
      ->check(CLI::IsMember({"embed", "file", "extern"}));
  verb.add_option("--heap", state->heap, "whether the program may allocate: none or runtime")
      ->check(CLI::IsMember({"none", "runtime"}));
  verb.add_option("--threads", state->threads, "0 compiles threads away")
      ->check(CLI::Range(0, 4096));
  verb.add_flag("--no-runtime", state->noRuntime, "leave out the runtime and the kernel templates");
  verb.add_option("--emit", state->emit, "cpp, or ir:STAGE to print a stage's IR");
  state->many.addTo(verb, {"--emit-plan", "--name", "--emit"});
  state->flags.addTo(verb, /*withEmulator=*/false, ModelFlags::Models::Many);
  return [state] { return state->run(); };
}
