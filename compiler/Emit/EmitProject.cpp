// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitProject.h"

#include "Emit/EmitExternal.h"
#include "Emit/Sources.h"
#include "cameo/abi.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;

namespace {

/// The generated files, the runtime's apart, with one of these endings, in order.
std::vector<std::string> findPaths(const EmittedFiles &files, ArrayRef<StringRef> endings) {
  std::vector<std::string> paths;
  for (const auto &[path, text] : files) {
    StringRef name = path;
    if (name.starts_with("cameo/"))
      continue;
    if (llvm::any_of(endings, [&](StringRef ending) { return name.ends_with(ending); }))
      paths.push_back(path);
  }
  return paths;
}

/// Endings of files that the host's compiler cannot compile.
SmallVector<StringRef> getDeviceEndings(const Target &target) {
  SmallVector<StringRef> endings;
  if (target.device)
    endings.push_back(target.device->kernels->extension);
  return endings;
}

std::string joinLines(ArrayRef<std::string> items) {
  std::string joined;
  for (const std::string &item : items)
    joined += (joined.empty() ? "" : "\n  ") + item;
  return joined;
}

/// The instruction sets of the program's copies, as CMake lists them.
std::string joinCopies(const Program &program) {
  return llvm::join(llvm::map_range(program.getCopies(), std::mem_fn(&TargetCopy::isa)), " ");
}

/// Copies that not every program has, as users call them.
std::string joinExtendedCopies(const Program &program) {
  std::vector<std::string> names;
  for (const TargetCopy &copy : program.getCopies())
    if (!copy.extension.empty())
      names.push_back(copy.isa.str());
  std::string joined = llvm::join(names, ", ");
  llvm::replace(joined, '_', '-');
  return joined;
}

/// A header with a guard of its own in the place of `#pragma once`: of several generated folders in
/// one build each has it, and compilers that go by a file's path and time take those for many.
/// Headers of another version of the runtime have other guards.
std::string guardInclusion(StringRef path, StringRef text) {
  auto [before, after] = text.split("#pragma once\n");
  if (after.empty())
    return text.str();
  std::string guard = "CAMEO_" + getSourcesId() + "_" + path.drop_front(strlen("cameo/")).upper();
  for (char &c : guard)
    c = llvm::isAlnum(c) ? c : '_';
  return (before + "#ifndef " + guard + "\n#define " + guard + "\n" + after + "\n#endif // " +
          guard + "\n")
      .str();
}

/// The signature as a table of the README.
std::string printSignature(const Program &program) {
  std::string table;
  auto print = [&](ArrayRef<PortInfo> ports, StringRef kind) {
    for (auto [number, port] : llvm::enumerate(ports))
      table += (Twine("| ") + kind + " " + Twine(number) + " | `" + comment(port.name).ref() +
                "` | " + describeElements(port.type).ref() + " | `" +
                program.describeShape(port).ref() + "`" + describeUpdate(port).ref() + " |\n")
                   .str();
  };
  print(program.getInputs(), "input");
  print(program.getOutputs(), "output");
  return table;
}

/// True if the runtime is built without a heap.
bool lacksHeap(const Program &program) {
  return program.getTarget().hasSwitches && program.getOptions().heap == EmitOptions::Heap::None;
}
bool lacksThreads(const Program &program) {
  return program.getTarget().hasSwitches && !program.getOptions().threads;
}

/// Says which builds of the runtime are the same: version and switches.
std::string getRuntimeId(const Program &program) {
  return getSourcesId() + (lacksHeap(program) ? "_no_heap" : "") +
         (lacksThreads(program) ? "_no_threads" : "");
}

/// Values of the skeletons' keys.
std::map<std::string, std::string> getValues(const Program &program, const WeightsInfo &weights,
                                             const EmittedFiles &files) {
  const EmitOptions &options = program.getOptions();
  const std::string &name = options.name;
  bool hasHeap = options.heap == EmitOptions::Heap::Runtime;
  bool isEmbedded = options.weights == EmitOptions::Weights::Embed;
  bool isFile = options.weights == EmitOptions::Weights::File && weights.bytes != 0;
  auto flag = [](bool value) { return std::string(value ? "yes" : ""); };
  SmallVector<StringRef> endings = getDeviceEndings(program.getTarget());
  std::vector<std::string> deviceSources = findPaths(files, endings);
  std::vector<std::string> hostKernels = findPaths(files, {".cpp"});
  std::vector<std::string> sources = findPaths(files, {".cpp", ".S"});
  auto isKernel = [&](StringRef path) { return path.starts_with(name + "_kernels"); };
  llvm::erase(sources, name + "_main.cpp");
  llvm::erase_if(hostKernels, [&](StringRef path) { return !isKernel(path); });
  llvm::erase_if(sources, isKernel);
  bool hasKernels = !hostKernels.empty() || !deviceSources.empty();
  std::string runtimeId = getRuntimeId(program);
  return {
      {"name", name},
      {"version", comment(options.version).str()},
      {"command", comment(options.command).str()},
      {"kernels", flag(hasKernels)},
      {"host_kernels", joinLines(hostKernels)},
      {"sources", joinLines(sources)},
      {"device_sources", joinLines(deviceSources)},
      {"abi", std::to_string(CAMEO_ABI_VERSION)},
      {"runtime_id", runtimeId},
      {"definitions", "cameo=cameo_" + runtimeId +
                          (lacksThreads(program) ? " CAMEO_THREADS=0" : "") +
                          (lacksHeap(program) ? " CAMEO_HEAP_NONE=1" : "")},
      {"switches", std::string(lacksThreads(program) ? "-DCAMEO_THREADS=0 " : "") +
                       (lacksHeap(program) ? "-DCAMEO_HEAP_NONE=1 " : "")},
      {"threads", flag(!lacksThreads(program))},
      {"program", flag(hasHeap)},
      {"no_program", flag(!hasHeap)},
      {"copies", hasKernels ? joinCopies(program) : ""},
      {"extended_copies", joinExtendedCopies(program)},
      {"signature", printSignature(program)},
      {"external", flag(files.count(name + "_external.h") != 0)},
      {"weights_assembly", flag(files.count(name + "_weights.S") != 0)},
      {"weights_array", flag(isEmbedded && !hasHeap && weights.bytes != 0)},
      {"weights_file", flag(isFile)},
      {"weights_extern",
       flag(options.weights == EmitOptions::Weights::Extern && weights.bytes != 0)},
  };
}

} // namespace

void cameo::emitProject(const Program &program, const WeightsInfo &weights, EmittedFiles &files) {
  const EmitOptions &options = program.getOptions();
  const std::string &name = options.name;
  bool hasHeap = options.heap == EmitOptions::Heap::Runtime;
  if (hasHeap)
    files[name + "_main.cpp"] = fillSkeleton("main.cpp", {{"name", name}});

  if (options.runtimeSources) {
    // C++ callers include these, whether there is a main program here that does or not.
    SmallVector<StringRef> texts{"#include \"cameo/model.h\"\n", "#include \"cameo/dlpack.h\"\n"},
        endings{".cpp", ".h"};
    endings.append(getDeviceEndings(program.getTarget()));
    // The headers that kernels of the user's include, so that the emulator runs these too.
    std::string deviceKernels;
    if (const auto &device = program.getTarget().device;
        device && !findExternalCalls(program).empty()) {
      deviceKernels = "#include \"cameo/" + device->kernels->name.str() + "/external.h\"\n";
      texts.push_back(deviceKernels);
    }
    for (const std::string &path : findPaths(files, endings))
      texts.push_back(files[path].getText());
    for (auto &[path, text] : collectSources(texts, program.getTarget().runtimeFolders))
      files[path] = guardInclusion(path, text);
  }

  std::string target = program.getTarget().name.str();
  std::map<std::string, std::string> values = getValues(program, weights, files);
  values["runtime"] = fillSkeleton("runtime.cmake", values);
  values["library"] = StringRef(fillSkeleton("library.cmake", values)).rtrim().str();
  files["CMakeLists.txt"] = fillSkeleton("CMakeLists." + target + ".txt", values);
  files["README.md"] = fillSkeleton("README." + target + ".md", values);
}
