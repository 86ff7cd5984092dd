// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/PartsList.h"

#include "Support/JsonText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/SHA256.h"

using namespace cameo;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr StringRef kRuntimeFolder = "cameo/";

std::string printHex(llvm::ArrayRef<uint8_t> digest) {
  return llvm::toHex(digest, /*LowerCase=*/true);
}

/// JSON refers to the text of a StringRef, and has that of a string.
json::Array makeHashes(const char *algorithm, std::string digest) {
  return json::Array{json::Object{{"alg", algorithm}, {"content", std::move(digest)}}};
}

template <class Hash> std::string hashContent(const FileContent &content) {
  Hash hash;
  content.forEachPiece([&](StringRef piece) {
    hash.update(piece);
    return true;
  });
  return printHex(hash.final());
}

/// The licence that the first line of a text names.
StringRef findLicence(StringRef text) {
  return text.take_front(200)
      .split("SPDX-License-Identifier: ")
      .second.take_until([](char c) { return c == '\n' || c == '*'; })
      .rtrim();
}

/// A file with the hash of its bytes, and the licence that it names. Weights have another hash than
/// all else: SHA-256 of them takes longer than the rest of a compilation.
json::Object describeFile(StringRef path, const FileContent &content) {
  bool isWeights = path.ends_with("_weights.bin");
  json::Object file{{"bom-ref", ("file:" + path).str()},
                    {"type", isWeights ? "data" : "file"},
                    {"name", path},
                    {"hashes", isWeights
                                   ? makeHashes("BLAKE3", hashContent<llvm::BLAKE3>(content))
                                   : makeHashes("SHA-256", hashContent<llvm::SHA256>(content))}};
  // The text of the compiler's own: what it generates is the user's.
  if (path.starts_with(kRuntimeFolder))
    if (StringRef licence = findLicence(content.getText()); !licence.empty())
      file["licenses"] = json::Array{json::Object{{"expression", licence.str()}}};
  return file;
}

json::Object describeTool(StringRef version) {
  return json::Object{
      {"type", "application"},
      {"name", "cameo"},
      {"version", version},
      {"licenses", json::Array{json::Object{{"expression", "Apache-2.0 WITH LLVM-exception"}}}}};
}

/// As of RFC 9562's version 8, whose bits are the maker's.
std::string makeSerialNumber(StringRef text) {
  std::array<uint8_t, 32> digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  digest[6] = 0x80 | (digest[6] & 0x0f);
  digest[8] = 0x80 | (digest[8] & 0x3f);
  std::string hex = printHex(llvm::ArrayRef(digest).take_front(16));
  for (size_t place : {20, 16, 12, 8})
    hex.insert(place, "-");
  return "urn:uuid:" + hex;
}

} // namespace

std::string cameo::makePartsList(const EmittedFiles &files, const EmitOptions &options,
                                 StringRef modelName, StringRef modelHash) {
  json::Array components, parts, runtime;
  components.push_back(json::Object{{"bom-ref", "model"},
                                    {"type", "machine-learning-model"},
                                    {"name", json::fixUTF8(modelName)},
                                    {"hashes", makeHashes("SHA-256", modelHash.str())}});
  parts.push_back("model");
  for (const auto &[path, content] : files) {
    json::Object file = describeFile(path, content);
    if (StringRef(path).starts_with(kRuntimeFolder)) {
      runtime.push_back(std::move(file));
      continue;
    }
    parts.push_back(file.getString("bom-ref")->str());
    components.push_back(std::move(file));
  }
  if (!runtime.empty()) {
    json::Object library = describeTool(options.version);
    library["bom-ref"] = "runtime";
    library["type"] = "library";
    library["name"] = "cameo-runtime";
    library["components"] = std::move(runtime);
    components.push_back(std::move(library));
    parts.push_back("runtime");
  }
  json::Object metadata{
      {"component",
       json::Object{{"bom-ref", "library"}, {"type", "library"}, {"name", options.name}}},
      {"tools", json::Object{{"components", json::Array{describeTool(options.version)}}}},
      {"properties",
       json::Array{
           json::Object{{"name", "cameo:command"}, {"value", json::fixUTF8(options.command)}},
           json::Object{{"name", "cameo:target"}, {"value", options.target->name}}}}};
  json::Object bill{{"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
                    {"bomFormat", "CycloneDX"},
                    {"specVersion", "1.6"},
                    {"version", 1},
                    {"metadata", std::move(metadata)},
                    {"components", std::move(components)},
                    {"dependencies", json::Array{json::Object{{"ref", "library"},
                                                              {"dependsOn", std::move(parts)}}}}};
  std::string serialNumber = makeSerialNumber(formatJson(json::Object(bill)));
  bill["serialNumber"] = std::move(serialNumber);
  return formatJson(std::move(bill));
}
