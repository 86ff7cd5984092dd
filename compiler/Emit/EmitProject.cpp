// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitProject.h"

#include "Emit/Sources.h"

using namespace mlir;
using namespace cameo;

namespace {

/// The paths in `files` with one of these endings, in order, each behind `prefix`.
std::vector<std::string> findPaths(const EmittedFiles &files, ArrayRef<StringRef> endings,
                                   StringRef folder, bool isInside) {
  std::vector<std::string> paths;
  for (const auto &[path, text] : files) {
    StringRef name = path;
    if (name.starts_with(folder) != isInside)
      continue;
    if (llvm::any_of(endings, [&](StringRef ending) { return name.ends_with(ending); }))
      paths.push_back(path);
  }
  return paths;
}

std::string joinLines(ArrayRef<std::string> items) {
  std::string joined;
  for (const std::string &item : items)
    joined += (joined.empty() ? "" : "\n  ") + item;
  return joined;
}

/// The signature as a table of the README.
std::string printSignature(const Program &program) {
  std::string table;
  auto print = [&](ArrayRef<PortInfo> ports, StringRef kind) {
    for (auto [number, port] : llvm::enumerate(ports))
      table += (Twine("| ") + kind + " " + Twine(number) + " | `" + comment(port.name).ref() +
                "` | " + getCppType(port.type.getElementType())->name.ref() + " | `" +
                Program::describeShape(port.type).ref() + "` |\n")
                   .str();
  };
  print(program.getInputs(), "input");
  print(program.getOutputs(), "output");
  return table;
}

} // namespace

void cameo::emitProject(const Program &program, const WeightsInfo &weights, EmittedFiles &files) {
  const EmitOptions &options = program.getOptions();
  const std::string &name = options.name;
  bool hasHeap = options.heap == EmitOptions::Heap::Runtime;
  if (hasHeap)
    files[name + "_main.cpp"] = fillSkeleton("main.cpp", {{"name", name}});

  if (options.runtimeSources) {
    SmallVector<StringRef> texts;
    for (const auto &[path, text] : files)
      if (StringRef(path).ends_with(".cpp") || StringRef(path).ends_with(".cu") ||
          StringRef(path).ends_with(".h"))
        texts.push_back(text);
    SmallVector<StringRef> folders{"host"};
    if (program.isCuda())
      folders.append({"cuda", "emu"});
    for (auto &[path, text] : collectSources(texts, folders))
      files[path] = text.str();
  }

  std::vector<std::string> own = findPaths(files, {".cpp", ".S"}, "cameo/", false);
  llvm::erase(own, name + "_main.cpp");
  std::vector<std::string> device = findPaths(files, {".cu"}, "cameo/", false);
  std::map<std::string, std::string> values = {
      {"name", name},
      {"version", comment(options.version).str()},
      {"command", comment(options.command).str()},
      {"sources", joinLines(own)},
      {"device_sources", joinLines(device)},
      {"threads", options.threads ? "yes" : ""},
      {"no_threads", options.threads ? "" : "yes"},
      {"no_heap", hasHeap ? "" : "yes"},
      {"program", hasHeap ? "yes" : ""},
      {"signature", printSignature(program)},
      {"weights", options.weights == EmitOptions::Weights::Extern || weights.bytes == 0
                      ? ""
                      : "| `" + name + "_weights.*` | the weights |\n"},
  };
  std::string target = program.isCuda() ? "cuda" : "cpu";
  files["CMakeLists.txt"] = fillSkeleton("CMakeLists." + target + ".txt", values);
  files["README.md"] = fillSkeleton("README." + target + ".md", values);
}
