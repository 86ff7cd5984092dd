// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Peers.h"

#include "Elements.h"
#include "EmbeddedFile.h"
#include "NativeBuild.h"
#include "Progress.h"
#include "embeddedPeer.h"

#include "Support/InputFile.h"
#include "Support/NearNames.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr llvm::StringLiteral kScript = "peer.py", kRequest = "request.json", kAnswer = "answer";
/// Most characters of a peer's text.
constexpr size_t kMaxText = 600;

json::Array describePorts(const std::vector<std::string> &names,
                          const std::vector<PortType> &types) {
  json::Array ports;
  for (auto [number, name] : llvm::enumerate(names)) {
    json::Object port{{"number", static_cast<int64_t>(number)},
                      {"name", json::fixUTF8(name)},
                      {"type", types[number].elementType}};
    if (types[number].keys)
      port["keys"] = json::Array(*types[number].keys);
    ports.push_back(std::move(port));
  }
  return ports;
}

/// One conversation: the files of a scratch folder, and the process that reads and writes them.
class Conversation {
public:
  Conversation(const Peer &peer, const PeerRequest &request) : peer(peer), request(request) {}

  std::optional<Diagnostic> run(std::vector<Voice> &voices);

private:
  std::optional<Diagnostic> writeInputs();
  /// Writes the request for the cases from `first` on, and runs the peer on them.
  std::optional<Diagnostic> ask(size_t first, ProgramEnd &end);
  /// Takes what it said of cases, from `voices.size()` on; what it said of all is a diagnostic.
  std::optional<Diagnostic> readAnswer(std::vector<Voice> &voices, bool &hasBegun);
  std::optional<Diagnostic> readOutputs(Voice &voice, size_t number) const;
  std::optional<Diagnostic> readOutput(const std::string &stem, size_t number,
                                       TensorData &tensor) const;
  std::string getPath(StringRef name) const { return (scratch.getPath() + "/" + name).str(); }
  std::string getFolder(size_t number) const { return getPath(std::to_string(number)); }
  Diagnostic fail(ExitClass exitClass, std::string problem, std::string hint) const {
    return {exitClass, request.model, "",
            fmt::format("--against {}: {}", escapeText(peer.name), problem), std::move(hint)};
  }
  Diagnostic explain(StringRef kind, StringRef text) const;

  const Peer &peer;
  const PeerRequest &request;
  ScratchFolder scratch;
  /// The cases of the request.
  std::vector<json::Object> cases;
};

std::optional<Diagnostic> Conversation::writeInputs() {
  std::map<std::string, std::string> script;
  for (const EmbeddedFile &file : embeddedPeer)
    script[llvm::sys::path::filename(file.path).str()] = std::string(file.data, file.size);
  if (auto problem = writeData(scratch.getPath(), script))
    return problem;
  for (const std::map<int64_t, TensorData> *inputs : request.cases) {
    std::string folder = getFolder(cases.size());
    std::map<std::string, std::string> files;
    json::Object given;
    for (const auto &[number, tensor] : *inputs) {
      json::Object row{{"dims", json::Array(tensor.dims)}};
      if (isStrings(tensor)) {
        json::Array strings;
        for (const std::string &text : tensor.strings)
          strings.push_back(json::fixUTF8(text));
        row["strings"] = std::move(strings);
      } else {
        std::string name = fmt::format("input_{}.bin", number);
        std::vector<char> items =
            unpackElements(tensor.elementType, tensor.bytes, getNumElements(tensor));
        files[name].assign(items.begin(), items.end());
        row["file"] = folder + "/" + name;
      }
      given[std::to_string(number)] = std::move(row);
    }
    // Made where there are no files too: outputs go there.
    if (auto problem = writeData(folder, files))
      return problem;
    cases.push_back(json::Object{{"folder", folder}, {"inputs", std::move(given)}});
  }
  return std::nullopt;
}

std::optional<Diagnostic> Conversation::ask(size_t first, ProgramEnd &end) {
  json::Array asked;
  for (size_t number = first; number < cases.size(); ++number)
    asked.push_back(json::Object(cases[number]));
  json::Object text{{"kind", peer.kind},
                    {"model", request.model},
                    {"script", peer.script},
                    {"inputs", describePorts(request.inputs, request.signature.inputs)},
                    {"outputs", describePorts(request.outputs, request.signature.outputs)},
                    {"cases", std::move(asked)}};
  std::map<std::string, std::string> files{{kRequest.str(), formatJson(std::move(text))},
                                           {kAnswer.str(), ""}};
  if (auto problem = writeData(scratch.getPath(), files))
    return problem;
  end = runCommand({request.python, getPath(kScript), getPath(kRequest), getPath(kAnswer)}, "",
                   getPath("printed"), getPath("log"), request.limits);
  return std::nullopt;
}

/// The diagnostic for a peer's answer about the model, about its script or about a package that it
/// lacks.
Diagnostic Conversation::explain(StringRef kind, StringRef text) const {
  if (kind == "package")
    return fail(
        ExitClass::Io,
        fmt::format("{} cannot import {}", quoteText(request.python), escapeText(text, kMaxText)),
        fmt::format("install it there (pip install {}), or name a Python that has it by "
                    "--python",
                    escapeText(text.split(':').first.split('.').first)));
  if (kind == "script")
    return fail(ExitClass::Usage,
                fmt::format("{} {}", quoteText(peer.script), escapeText(text, kMaxText)),
                "it has to define `model`, a torch.nn.Module or a function, which takes tensors in "
                "the order of the ONNX model's inputs");
  return fail(ExitClass::CheckFailed,
              fmt::format("it refuses the model: {}", escapeText(text, kMaxText)),
              "another peer, or none, may take it");
}

std::optional<Diagnostic> Conversation::readOutput(const std::string &stem, size_t number,
                                                   TensorData &tensor) const {
  constexpr ValueData::Kind kTensor[] = {ValueData::Kind::Tensor};
  if (llvm::sys::fs::exists(stem + ".pb"))
    return readTensor(stem + ".pb", {std::begin(kTensor), std::end(kTensor)}, tensor);
  if (auto problem = readNpy(stem + ".npy", tensor))
    return problem;
  takeAs(request.signature.outputs[number].elementType, tensor);
  return std::nullopt;
}

std::optional<Diagnostic> Conversation::readOutputs(Voice &voice, size_t number) const {
  for (size_t output = 0; output < request.outputs.size(); ++output)
    if (auto problem = readOutput(fmt::format("{}/output_{}", getFolder(number), output), output,
                                  voice.outputs[static_cast<int64_t>(output)]))
      return problem;
  return std::nullopt;
}

std::optional<Diagnostic> Conversation::readAnswer(std::vector<Voice> &voices, bool &hasBegun) {
  std::unique_ptr<llvm::MemoryBuffer> answer;
  if (auto problem = readInputFile(getPath(kAnswer), kMaxDataBytes, answer))
    return problem;
  llvm::SmallVector<StringRef> lines;
  answer->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    llvm::Expected<json::Value> value = json::parse(line);
    const json::Object *said = value ? value->getAsObject() : nullptr;
    if (!value)
      llvm::consumeError(value.takeError());
    // The last line of a process that was ended may be cut.
    if (!said)
      return std::nullopt;
    if (std::optional<StringRef> kind = said->getString("error"))
      return explain(*kind, said->getString("text").value_or(""));
    hasBegun |= said->getString("peer").has_value();
    std::optional<StringRef> refusal = said->getString("problem");
    if (!refusal || voices.size() == cases.size())
      continue;
    Voice voice{peer.name, escapeText(*refusal, kMaxText)};
    if (voice.refusal.empty())
      if (auto problem = readOutputs(voice, voices.size()))
        return problem;
    voices.push_back(std::move(voice));
  }
  return std::nullopt;
}

std::optional<Diagnostic> Conversation::run(std::vector<Voice> &voices) {
  if (auto problem = scratch.make())
    return problem;
  if (auto problem = writeInputs())
    return problem;
  Progress progress("asking " + peer.name);
  while (voices.size() < cases.size()) {
    ProgramEnd end;
    bool hasBegun = false;
    if (auto problem = ask(voices.size(), end))
      return problem;
    if (!end.problem.empty())
      return fail(ExitClass::Io,
                  fmt::format("{} {}", quoteText(request.python), escapeText(end.str(), kMaxText)),
                  "--python names the Python that has the peer");
    if (auto problem = readAnswer(voices, hasBegun))
      return problem;
    if (!end.exceeded.empty())
      return fail(ExitClass::Limit, "it " + end.exceeded, "");
    if (!hasBegun) {
      std::string said = readLastLine(getPath("log"));
      return fail(ExitClass::Io,
                  fmt::format("{} {} before it had the model{}{}", quoteText(request.python),
                              end.str(), said.empty() ? "" : ": ", said),
                  "--python names the Python that has the peer");
    }
    // It ended in a case, of which that is the answer; those behind it are asked for again.
    if (voices.size() < cases.size())
      voices.push_back({peer.name, "it " + end.str()});
  }
  return std::nullopt;
}

} // namespace

void PeerFlags::addTo(CLI::App &verb) {
  verb.add_option("--against", texts,
                  "who says what is right: onnxruntime, reference, torch:FILE.py, or none (the "
                  "model has to run); may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--python", python, "the Python that has the peers of --against (python3)");
  verb.add_option("--seeds", seeds,
                  "--against: data sets that are made up for each choice of extents (default 2, or "
                  "0 where there are data sets)")
      ->check(CLI::Range(0, 10000));
}

std::optional<Diagnostic> PeerFlags::read(std::vector<Peer> &peers) const {
  constexpr const char *hint = "onnxruntime, reference, torch:FILE.py, or none alone";
  auto refuse = [&](const std::string &text, const char *problem) {
    return Diagnostic{ExitClass::Usage, "cameo", "",
                      fmt::format("--against {} {}", quoteText(text), problem),
                      suggestNear(text, {"onnxruntime", "reference", "none"}, hint)};
  };
  if (isNone())
    return std::nullopt;
  for (const std::string &text : texts) {
    auto [kind, script] = StringRef(text).split(':');
    bool hasScript = text.find(':') != std::string::npos;
    bool isKnown = kind == "torch" ? !script.empty()
                                   : !hasScript && (kind == "onnxruntime" || kind == "reference");
    if (!isKnown)
      return refuse(text, text == "none" ? "stands beside a peer" : "names no peer");
    if (llvm::is_contained(llvm::map_range(peers, [](const Peer &peer) { return peer.name; }),
                           text))
      return refuse(text, "is given twice");
    if (kind == "torch" && !llvm::sys::fs::exists(script))
      return Diagnostic{ExitClass::Io, script.str(), "", "No such file or directory",
                        "--against torch:FILE.py names a file that defines `model`"};
    peers.push_back({text, kind.str(), script.str()});
  }
  return std::nullopt;
}

std::optional<Diagnostic> cameo::cli::askPeer(const Peer &peer, const PeerRequest &request,
                                              std::vector<Voice> &voices) {
  return Conversation(peer, request).run(voices);
}

bool cameo::cli::agree(const Voice &a, const Voice &b, AllowanceOf allowance) {
  if (!a.refusal.empty() || !b.refusal.empty())
    return !a.refusal.empty() && !b.refusal.empty();
  return llvm::all_of(a.outputs, [&](const auto &entry) {
    auto other = b.outputs.find(entry.first);
    return other == b.outputs.end() ||
           compareTensors(entry.second, other->second, allowance(entry.first)).passed;
  });
}

std::optional<size_t> cameo::cli::findAlone(const std::vector<Voice> &voices,
                                            AllowanceOf allowance) {
  if (voices.size() < 3)
    return std::nullopt;
  auto areOne = [&](size_t a, size_t b) { return agree(voices[a], voices[b], allowance); };
  for (size_t alone = 0; alone < voices.size(); ++alone) {
    bool isAlone = true;
    for (size_t a = 0; a < voices.size() && isAlone; ++a)
      for (size_t b = a + 1; b < voices.size() && isAlone; ++b)
        isAlone = areOne(a, b) == (a != alone && b != alone);
    if (isAlone)
      return alone;
  }
  return std::nullopt;
}
