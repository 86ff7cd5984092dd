// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache is a folder of finished files, named after the hash of everything that went into them:
// an archive per runtime and target (nine tenths of the work, the same for all models), a program
// or a shared library per model. A file is made in a scratch folder and renamed, so that it is
// there whole or not at all.

#include "NativeBuild.h"

#include "BuildCache.h"
#include "Emit/Sources.h"
#include "Progress.h"
#include "Support/InputFile.h"
#include "embeddedDriver.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

using Files = std::map<std::string, const FileContent *>;

Diagnostic makeError(ExitClass exitClass, std::string problem, std::string hint = "") {
  return {exitClass, "cameo", "", std::move(problem), std::move(hint)};
}

std::string getEnvironment(const char *name, const char *fallback) {
  const char *value = std::getenv(name);
  return value && *value ? value : fallback;
}

/// Identifies whatever was added, in its order.
class Key {
public:
  void add(StringRef text) {
    hasher.update(std::to_string(text.size()) + ":");
    hasher.update(text);
  }
  void add(const Files &files) {
    for (const auto &[path, content] : files) {
      add(path);
      hasher.update(std::to_string(content->size()) + ":");
      content->forEachPiece([&](StringRef piece) {
        hasher.update(piece);
        return true;
      });
    }
  }
  void add(const std::vector<std::string> &words) {
    for (const std::string &word : words)
      add(word);
  }
  std::string get() { return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true); }

private:
  llvm::BLAKE3 hasher;
};

/// One at a time may make what the file stands for; others wait and find it made.
class FileLock {
public:
  explicit FileLock(const std::string &path)
      : file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (file >= 0)
      (void)::flock(file, LOCK_EX);
  }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  ~FileLock() {
    if (file >= 0)
      ::close(file);
  }

private:
  int file;
};

/// The functions of the runtime API whose calls the driver counts: driver/calls.txt.
llvm::SmallVector<StringRef> getWatchedFunctions() {
  llvm::SmallVector<StringRef> names;
  for (const EmbeddedFile &file : embeddedDriver)
    if (StringRef(file.path).ends_with("calls.txt"))
      StringRef(file.data, file.size).split(names, '\n', -1, /*KeepEmpty=*/false);
  return names;
}

std::vector<std::string> splitWords(StringRef text) {
  llvm::SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  return {words.begin(), words.end()};
}

/// Its name, and each feature that it has.
std::vector<std::string> describeProcessor() {
  std::vector<std::string> words;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      words.push_back(feature.first().str());
  llvm::sort(words);
  words.push_back(llvm::sys::getHostCPUName().str());
  return words;
}

std::string readLog(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  return text ? (*text)->getBuffer().str() : "";
}

enum class Product {
  Program, ///< with the driver (driver/README.md)
  Library  ///< a shared one, which exports the C API of its model
};

/// Turns sources into objects and programs for a platform.
class Toolchain {
public:
  Toolchain(const Platform &platform, const BuildFlags &flags, Product product)
      : platform(platform), product(product), trace(flags.trace), cxx(getEnvironment("CXX", "g++")),
        command(splitWords(cxx)), added(splitWords(flags.cxx)) {
    if (!platform.deviceCompiler)
      return;
    const DeviceCompiler &compiler = *platform.deviceCompiler;
    deviceCxx = getEnvironment(compiler.variable.data(), compiler.command.data());
    if (!llvm::sys::findProgramByName(deviceCxx))
      deviceCxx = compiler.elsewhere.str();
  }

  std::optional<Diagnostic> check() const {
    if (command.empty() || !llvm::sys::findProgramByName(command.front()))
      return makeError(ExitClass::Io, fmt::format("there is no compiler {}", quoteText(cxx)),
                       "CXX names one");
    if (platform.deviceCompiler && !llvm::sys::findProgramByName(deviceCxx)) {
      const DeviceCompiler &compiler = *platform.deviceCompiler;
      return makeError(
          ExitClass::Io,
          fmt::format("there is no {} to compile {} with", quoteText(deviceCxx), compiler.language),
          fmt::format("{} names one; {}", compiler.variable, compiler.hint));
    }
    return std::nullopt;
  }

  /// Finds out what kernels are built for; no log can be written: for this machine's device.
  void findDevice(const std::string &log, const ProgramLimits &limits) {
    if (!platform.deviceCompiler)
      return;
    const DeviceCompiler &compiler = *platform.deviceCompiler;
    std::vector<std::string> query = {deviceCxx};
    query.insert(query.end(), compiler.query.begin(), compiler.query.end());
    runCommand(query, "", log, log, limits);
    bool hasDevice = !StringRef(readLog(log)).contains(compiler.noDevice);
    deviceFlag = (hasDevice ? compiler.native : compiler.oldest).str();
  }
  /// Whether the compiler says that a kernel is for newer devices.
  bool isTooOld(StringRef log) const {
    return platform.deviceCompiler && log.contains(platform.deviceCompiler->tooOld);
  }

  /// Everything that decides what comes out, for the key of the cache.
  std::vector<std::string> describe() const {
    std::vector<std::string> words = compile("", "x.cpp", "x.o");
    if (const auto &side = platform.target->device) {
      std::vector<std::string> device = compile("", "x" + side->kernels->extension.str(), "x.o");
      words.insert(words.end(), device.begin(), device.end());
    }
    // `-march=native` says something else on each machine that shares the cache.
    if (llvm::any_of(words, [](StringRef word) { return word.ends_with("=native"); })) {
      std::vector<std::string> processor = describeProcessor();
      words.insert(words.end(), processor.begin(), processor.end());
    }
    return words;
  }

  std::vector<std::string> compile(const std::string &folder, const std::string &source,
                                   const std::string &object) const {
    const std::optional<TargetSide> &device = platform.target->device;
    bool isDevice = device && StringRef(source).ends_with(device->kernels->extension);
    const DeviceCompiler *compiler =
        isDevice && platform.deviceCompiler ? &*platform.deviceCompiler : nullptr;
    std::vector<std::string> words = command;
    if (compiler) {
      words = {deviceCxx, deviceFlag};
      words.insert(words.end(), compiler->flags.begin(), compiler->flags.end());
    } else {
      words.insert(words.end(), {"-fno-exceptions", "-fno-rtti", "-ffp-contract=off",
                                 "-fno-math-errno", "-fno-trapping-math", "-pthread"});
    }
    if (isDevice)
      words.insert(words.end(), platform.deviceFlags.begin(), platform.deviceFlags.end());
    // The optimisation of the generated CMakeLists.txt and README.
    words.insert(words.end(), {"-std=c++17", "-O3", "-c", source, "-o", object, "-I" + folder});
    if (product == Product::Library)
      for (const char *flag : {"-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden"})
        words.push_back((compiler ? compiler->toHost.str() : "") + flag);
    // The calls that come of this are those of the emulator's trace.cpp.
    if (isDevice && trace)
      words.push_back("-fsanitize=thread");
    for (const std::string &flag : added)
      words.push_back((compiler ? compiler->toHost.str() : "") + flag);
    for (StringRef include : platform.includes)
      words.push_back(("-I" + folder + "/" + include).str());
    if (platform.deviceCompiler && !isDevice)
      words.insert(words.end(), {"-isystem", getDeviceInclude()});
    words.insert(words.end(), platform.definitions.begin(), platform.definitions.end());
    if (StringRef(source).ends_with(".S"))
      words.push_back("-Wa,-I" + folder);
    return words;
  }

  std::vector<std::string> link(const std::vector<std::string> &objects, const std::string &runtime,
                                const std::vector<std::string> &names,
                                const std::string &program) const {
    const std::optional<DeviceCompiler> &compiler = platform.deviceCompiler;
    std::string toHost = compiler ? compiler->toHost.str() : "";
    std::string toLinker = compiler ? compiler->toLinker.str() : "-Wl,";
    std::vector<std::string> words = command;
    if (compiler)
      words = {deviceCxx};
    words.push_back(toHost + "-pthread");
    // By these names a program finds the tables of models that have any.
    llvm::SmallVector<StringRef> asked = {"cameo_driver_model", "cameo_driver_next"};
    if (isLibrary())
      asked = {"cameo_describe"};
    for (auto [symbol, name] : llvm::zip(asked, names))
      words.push_back(toLinker + "--defsym=" + symbol.str() + "=" + name + "_describe");
    // Two libraries of one process keep to their own runtimes.
    if (isLibrary())
      words.insert(words.end(), {"-shared", toLinker + "-Bsymbolic", toLinker + "-z,defs"});
    if (platform.countsCalls && !isLibrary())
      for (StringRef function : getWatchedFunctions())
        words.push_back(toLinker + "--wrap=" + function.str());
    for (const std::string &flag : added)
      words.push_back(toHost + flag);
    words.insert(words.end(), {"-o", program});
    words.insert(words.end(), objects.begin(), objects.end());
    // The model calls a part of what the library exports.
    if (isLibrary())
      words.insert(words.end(),
                   {toLinker + "--whole-archive", runtime, toLinker + "--no-whole-archive"});
    else
      words.push_back(runtime);
    return words;
  }

  bool isLibrary() const { return product == Product::Library; }

  llvm::ArrayRef<llvm::StringLiteral> getRuntimeFolders() const { return platform.runtimeFolders; }
  /// Whether a file is compiled, not included.
  bool isCompiled(StringRef path) const {
    const std::optional<TargetSide> &device = platform.target->device;
    return path.ends_with(".cpp") || path.ends_with(".S") ||
           (device && path.ends_with(device->kernels->extension));
  }

private:
  /// Where the headers of the device's API are, beside its compiler.
  std::string getDeviceInclude() const {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(deviceCxx);
    StringRef path = found ? StringRef(*found) : StringRef(deviceCxx);
    return (llvm::sys::path::parent_path(llvm::sys::path::parent_path(path)) + "/include").str();
  }

  const Platform &platform;
  Product product;
  bool trace;
  std::string cxx, deviceCxx, deviceFlag;
  std::vector<std::string> command, added;
};

/// The first lines of a compiler's output, and the first line with an error if that is none of
/// them.
std::string getFirstLines(StringRef log) {
  constexpr size_t kLines = 3;
  llvm::SmallVector<StringRef> lines, chosen;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  chosen.append(lines.begin(), lines.begin() + std::min(lines.size(), kLines));
  auto isAnError = [](StringRef line) {
    return line.contains("error: ") || line.contains("undefined");
  };
  if (llvm::none_of(chosen, isAnError))
    if (auto error = llvm::find_if(lines, isAnError); error != lines.end())
      chosen.push_back(*error);
  if (chosen.empty())
    return "it says nothing";
  std::string text;
  for (StringRef line : chosen)
    text += (text.empty() ? "" : " | ") + escapeText(line.trim(), 400);
  return text;
}

/// Whether a compiler says that it failed, not that the code is wrong.
bool isCompilersFault(StringRef log) {
  for (StringRef words : {"internal compiler error", "Killed signal", "out of memory",
                          "annot allocate memory", "No space left on device"})
    if (log.contains(words))
      return true;
  return false;
}

/// A source that any compiler with a standard library can compile.
constexpr llvm::StringLiteral kProbe = "#include <cmath>\n#include <cstdint>\n#include <cstring>\n"
                                       "#include <new>\n#include <type_traits>\n";

class Builder {
public:
  Builder(const Platform &platform, const BuildFlags &flags, Product product)
      : tools(platform, flags, product), limits(flags.limits), cache(BuildCache::getFolder()),
        hasExternals(!flags.externalSources.empty()) {}

  std::optional<Diagnostic> build(const Files &files, const std::vector<std::string> &names,
                                  std::string &program);

private:
  std::optional<Diagnostic> buildRuntime(std::string &archive);
  std::optional<Diagnostic> compileAll(const std::string &folder,
                                       const std::vector<std::string> &sources,
                                       std::vector<std::string> &objects);
  std::optional<Diagnostic> runTool(const std::vector<std::string> &command,
                                    const std::string &folder, bool isLinker);
  bool canCompile(const std::string &folder, const std::string &source) const;
  static Diagnostic explain(const std::string &what, const std::vector<std::string> &command,
                            const ProgramEnd &end, StringRef log, bool isOurs);
  static std::optional<Diagnostic> write(const std::string &folder, const Files &files);

  Toolchain tools;
  ProgramLimits limits;
  std::string cache;
  /// Whether the user's own code may be at fault.
  bool hasExternals;
};

std::optional<Diagnostic> Builder::write(const std::string &folder, const Files &files) {
  for (const auto &[path, content] : files) {
    std::string file = folder + "/" + path;
    std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(file));
    if (!error) {
      llvm::raw_fd_ostream stream(file, error);
      if (!error) {
        content->forEachPiece([&](StringRef piece) {
          stream << piece;
          return !stream.has_error();
        });
        stream.close();
        error = stream.error();
        stream.clear_error();
      }
    }
    if (error)
      return makeError(ExitClass::Io, fmt::format("cannot write {}: {}", file, error.message()));
  }
  return std::nullopt;
}

/// Why a tool has failed: by itself, or `isOurs`, over what we wrote.
Diagnostic Builder::explain(const std::string &what, const std::vector<std::string> &command,
                            const ProgramEnd &end, StringRef log, bool isOurs) {
  std::string words = "'" + escapeText(llvm::join(command, " "), 1200) + "'";
  if (!end.exceeded.empty())
    return makeError(ExitClass::Limit, fmt::format("{} {}", words, end.exceeded));
  if (!end.problem.empty() || !isOurs)
    return makeError(ExitClass::Io, fmt::format("{} {}: {}", words, end.str(), getFirstLines(log)));
  return makeError(ExitClass::Internal,
                   fmt::format("{}: {}; by {}", what, getFirstLines(log), words));
}

std::optional<Diagnostic> Builder::runTool(const std::vector<std::string> &command,
                                           const std::string &folder, bool isLinker) {
  std::string path = folder + "/log";
  ProgramEnd end = runCommand(command, "", path, path, limits);
  if (end.isOk())
    return std::nullopt;
  std::string log = readLog(path);
  bool isOurs = isLinker && !hasExternals && !isCompilersFault(log) &&
                (StringRef(log).contains("undefined ") || StringRef(log).contains("duplicate ") ||
                 StringRef(log).contains("multiple definition"));
  return explain("the generated code does not link", command, end, log, isOurs);
}

/// Whether what a source is compiled with compiles anything at all.
bool Builder::canCompile(const std::string &folder, const std::string &source) const {
  std::string name = "probe" + llvm::sys::path::extension(source).str(),
              log = folder + "/probe.log";
  const FileContent probe(StringRef(source).ends_with(".S") ? std::string() : kProbe.str());
  if (write(folder, {{name, &probe}}))
    return false;
  return runCommand(tools.compile(folder, folder + "/" + name, folder + "/probe.o"), "", log, log,
                    limits)
      .isOk();
}

std::optional<Diagnostic> Builder::compileAll(const std::string &folder,
                                              const std::vector<std::string> &sources,
                                              std::vector<std::string> &objects) {
  size_t jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<ProgramEnd> ends(sources.size());
  std::atomic<size_t> done = 0;
  Progress progress("building");
  for (size_t number = 0; number < sources.size(); ++number)
    objects.push_back(fmt::format("{}/{}.o", folder, number));
  auto getCommand = [&](size_t number) {
    return tools.compile(folder, folder + "/" + sources[number], objects[number]);
  };
  auto getLog = [&](size_t number) { return fmt::format("{}/{}.log", folder, number); };
  runInParallel(sources.size(), jobs, [&](size_t number) {
    ends[number] = runCommand(getCommand(number), "", getLog(number), getLog(number), limits);
    progress.update(fmt::format("building, {} of {} files are done", ++done, sources.size()));
  });
  for (size_t number = 0; number < sources.size(); ++number) {
    if (ends[number].isOk())
      continue;
    std::string log = readLog(getLog(number));
    if (tools.isTooOld(log))
      return makeError(
          ExitClass::Unsupported,
          fmt::format("{} has kernels that this machine's device is too old for", sources[number]),
          "--precision exact has others");
    bool isOurs = !hasExternals && ends[number].code > 0 && !isCompilersFault(log) &&
                  canCompile(folder, sources[number]);
    return explain(fmt::format("the generated {} does not compile", sources[number]),
                   getCommand(number), ends[number], log, isOurs);
  }
  return std::nullopt;
}

std::optional<Diagnostic> Builder::buildRuntime(std::string &archive) {
  EmittedFiles contents;
  for (const auto &[path, text] : collectSources({}, tools.getRuntimeFolders()))
    contents[path] = text.str();
  if (!tools.isLibrary())
    for (const EmbeddedFile &file : embeddedDriver)
      contents[file.path] = std::string(file.data, file.size);
  Files files;
  for (const auto &[path, content] : contents)
    files[path] = &content;
  Key key;
  key.add(tools.describe());
  key.add(files);
  archive = cache + "/runtime-" + key.get() + ".a";
  if (BuildCache::holds(archive))
    return std::nullopt;
  FileLock lock(archive + ".lock");
  if (BuildCache::holds(archive))
    return std::nullopt;

  ScratchFolder scratch;
  if (auto problem = scratch.make())
    return problem;
  if (auto problem = write(scratch.getPath(), files))
    return problem;
  std::vector<std::string> sources, objects;
  for (const auto &[path, content] : files)
    if (tools.isCompiled(path))
      sources.push_back(path);
  if (auto problem = compileAll(scratch.getPath(), sources, objects))
    return problem;
  std::string made = scratch.getPath() + "/runtime.a";
  std::vector<std::string> command = {"ar", "rcs", made};
  command.insert(command.end(), objects.begin(), objects.end());
  if (auto problem = runTool(command, scratch.getPath(), /*isLinker=*/false))
    return problem;
  if (std::error_code error = BuildCache::add(made, archive))
    return makeError(ExitClass::Io, fmt::format("cannot write {}: {}", archive, error.message()));
  return std::nullopt;
}

std::optional<Diagnostic> Builder::build(const Files &files, const std::vector<std::string> &names,
                                         std::string &program) {
  uint64_t limit = 0;
  if (auto problem = BuildCache::readLimit(limit))
    return problem;
  if (auto problem = tools.check())
    return problem;
  if (auto problem = BuildCache::open())
    return problem;
  ScratchFolder scratch;
  if (auto problem = scratch.make())
    return problem;
  tools.findDevice(scratch.getPath() + "/device.log", limits);
  std::string runtime;
  if (auto problem = buildRuntime(runtime))
    return problem;
  Key key;
  key.add(runtime);
  key.add(names);
  key.add(files);
  program = cache + (tools.isLibrary() ? "/library-" + key.get() + ".so" : "/program-" + key.get());
  if (BuildCache::holds(program))
    return std::nullopt;
  FileLock lock(program + ".lock");
  if (BuildCache::holds(program))
    return std::nullopt;

  if (auto problem = write(scratch.getPath(), files))
    return problem;
  std::vector<std::string> sources, objects;
  for (const auto &[path, content] : files)
    if (tools.isCompiled(path) && !StringRef(path).starts_with("cameo/") &&
        llvm::none_of(names, [&, &path = path](const std::string &name) {
          return path == name + "_main.cpp";
        }))
      sources.push_back(path);
  if (auto problem = compileAll(scratch.getPath(), sources, objects))
    return problem;
  std::string made = scratch.getPath() + "/program";
  if (auto problem = runTool(tools.link(objects, runtime, names, made), scratch.getPath(),
                             /*isLinker=*/true))
    return problem;
  if (std::error_code error = BuildCache::add(made, program))
    return makeError(ExitClass::Io, fmt::format("cannot write {}: {}", program, error.message()));
  llvm::sys::fs::remove(program + ".lock");
  BuildCache::trim(limit);
  return std::nullopt;
}

} // namespace

void BuildFlags::addSourcesTo(CLI::App &verb) {
  verb.add_option("--external-source", externalSources,
                  "a C++ or CUDA file that computes operators of --external; may be repeated")
      ->allow_extra_args(false);
}

void BuildFlags::addTo(CLI::App &verb) {
  addSourcesTo(verb);
  verb.add_option("--cxxflags", cxx,
                  "more flags of the C++ compiler, behind -O3, such as '-march=native'");
  verb.add_flag("--trace", trace,
                "cuda-emu: hold every access of a kernel against what it declares (slower)");
}

/// Where files of the user's lie beside the generated ones.
static constexpr llvm::StringLiteral kExternalFolder = "external/";

/// The user's files, which may include what is generated.
static std::optional<Diagnostic> readExternalSources(const BuildFlags &flags,
                                                     EmittedFiles &contents) {
  constexpr int64_t kMaxSourceBytes = 64 << 20;
  for (auto [number, path] : llvm::enumerate(flags.externalSources)) {
    std::unique_ptr<llvm::MemoryBuffer> file;
    if (auto problem = readInputFile(path, kMaxSourceBytes, file))
      return problem;
    // Compilers show the file's name; the number tells apart files of one name.
    contents[fmt::format("{}{}/{}", kExternalFolder, number,
                         llvm::sys::path::filename(path).str())] = file->getBuffer().str();
  }
  return std::nullopt;
}

/// Whether something computes the operators of the user's that a library calls.
static std::optional<Diagnostic> checkExternals(const GeneratedLibrary &library,
                                                const BuildFlags &flags) {
  bool isNeeded = library.files->count(library.name + "_external.h") != 0;
  if (!isNeeded || !flags.externalSources.empty())
    return std::nullopt;
  return makeError(ExitClass::Usage,
                   fmt::format("nothing computes the operators of --external that {} has",
                               quoteText(library.name)),
                   "--external-source names a file that does");
}

static std::optional<Diagnostic> build(llvm::ArrayRef<GeneratedLibrary> libraries,
                                       const Platform &platform, const BuildFlags &flags,
                                       Product product, NativeProgram &program) {
  auto start = std::chrono::steady_clock::now();
  Files texts;
  EmittedFiles sources;
  std::vector<std::string> names;
  if (auto problem = readExternalSources(flags, sources))
    return problem;
  for (const auto &[path, content] : sources)
    texts[path] = &content;
  // Files of the same name in several libraries are the runtime, or are not compiled here.
  for (const GeneratedLibrary &library : libraries) {
    for (const auto &[path, content] : *library.files)
      texts.try_emplace(path, &content);
    names.push_back(library.name);
    if (auto problem = checkExternals(library, flags))
      return problem;
  }
  auto problem = Builder(platform, flags, product).build(texts, names, program.path);
  program.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return problem;
}

std::optional<Diagnostic> cameo::cli::buildProgram(llvm::ArrayRef<GeneratedLibrary> libraries,
                                                   const Platform &platform,
                                                   const BuildFlags &flags,
                                                   NativeProgram &program) {
  return build(libraries, platform, flags, Product::Program, program);
}

std::optional<Diagnostic> cameo::cli::buildSharedLibrary(const GeneratedLibrary &library,
                                                         const Platform &platform,
                                                         const BuildFlags &flags,
                                                         NativeProgram &built) {
  return build(library, platform, flags, Product::Library, built);
}

std::optional<Diagnostic> ScratchFolder::make() {
  if (auto problem = BuildCache::open())
    return problem;
  std::string name = BuildCache::getFolder() + "/scratch-XXXXXX";
  if (!::mkdtemp(name.data()))
    return makeError(ExitClass::Io,
                     fmt::format("the cache {} cannot be written: {}", BuildCache::getFolder(),
                                 std::strerror(errno)),
                     "CAMEO_CACHE names another folder");
  path = std::move(name);
  return std::nullopt;
}

ScratchFolder::~ScratchFolder() {
  if (!path.empty())
    (void)llvm::sys::fs::remove_directories(path);
}
