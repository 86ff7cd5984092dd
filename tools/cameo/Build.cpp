// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo build: a model to a shared library of its C API, for this machine, out of the cache.

#include "Common.h"
#include "NativeBuild.h"
#include "Pipeline/OutputFolder.h"

#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
namespace json = llvm::json;

namespace {

struct BuildVerb {
  ModelFlags flags;
  std::string output, jsonFile;
  BuildFlags build;

  int run();

private:
  std::optional<Diagnostic> execute(NativeProgram &library) const;
};

std::optional<Diagnostic> BuildVerb::execute(NativeProgram &library) const {
  Options options;
  if (auto problem = flags.read(options))
    return problem;
  options.emit.name = makeLibraryName(flags.getModel());
  Diagnostic refusal;
  std::optional<PipelineResult> compiled = compile(flags, options, refusal);
  if (!compiled)
    return refusal;
  if (auto problem = buildSharedLibrary({options.emit.name, &compiled->files}, flags.getPlatform(),
                                        build, library))
    return problem;
  if (output.empty())
    return std::nullopt;
  // Renamed, since a program may have the file of that name open.
  std::string made = output + ".new";
  std::error_code error = llvm::sys::fs::copy_file(library.path, made);
  if (!error)
    error = llvm::sys::fs::rename(made, output);
  if (error) {
    (void)llvm::sys::fs::remove(made);
    return Diagnostic{ExitClass::Io, "cameo", "",
                      fmt::format("cannot write {}: {}", escapeText(output), error.message()), ""};
  }
  library.path = output;
  return std::nullopt;
}

int BuildVerb::run() {
  NativeProgram library;
  std::optional<Diagnostic> failure = execute(library);
  if (!jsonFile.empty()) {
    json::Object result{{"schema", 1}};
    if (failure)
      result["error"] = toJson(*failure);
    else
      result["library"] = json::fixUTF8(library.path);
    int status = printTo(jsonFile, formatJson(std::move(result)));
    if (!failure && (status != 0 || jsonFile == "-"))
      return status;
  }
  return failure ? report(*failure) : print(library.path + "\n");
}

} // namespace

Verb cameo::cli::addBuild(CLI::App &app) {
  CLI::App &verb =
      addVerb(app, "build", "build a model as a shared library, and print the library's path",
              "cameo build model.onnx -o libmodel.so");
  auto state = std::make_shared<BuildVerb>();
  state->build.cxx = "-march=native";
  state->flags.addTo(verb, /*withEmulator=*/true);
  verb.add_option("-o,--output", state->output, "the library's file (default: one in the cache)");
  verb.add_option("--cxxflags", state->build.cxx,
                  "for the host's compiler (default -march=native)");
  state->build.addSourcesTo(verb);
  verb.add_option("--json", state->jsonFile,
                  "write the report to this file, - for standard output");
  state->build.limits.addTo(verb);
  return [state] { return state->run(); };
}
