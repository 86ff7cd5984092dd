// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DataSets.h"

#include "Compare.h"
#include "Elements.h"
#include "NumPyData.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/ElementTypes.h"
#include "Support/InputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using llvm::StringRef;

namespace {

constexpr llvm::StringLiteral kDataSet = "test_data_set_";
/// A status and the name of a node.
constexpr int64_t kMaxStatusBytes = 64 << 10;

Diagnostic makeError(ExitClass exitClass, StringRef path, std::string problem) {
  return {exitClass, path.str(), "", std::move(problem), ""};
}

/// NumPy's name for a type without its byte order.
StringRef withoutOrder(StringRef npyName) { return npyName.substr(1); }

/// Whether NumPy has no word of its own for a type.
bool isForeign(const ElementInfo &info) {
  return info.isPacked() || withoutOrder(info.npyName).starts_with("V");
}

/// The bytes of an item of NumPy's that holds one element.
unsigned getItemBytes(const ElementInfo &info) { return (info.bits + 7) / 8; }

/// The text between `key` and the first of `ends`.
StringRef getField(StringRef header, StringRef key, StringRef open, StringRef close) {
  size_t at = header.find(key);
  if (at == StringRef::npos)
    return "";
  StringRef rest = header.drop_front(at + key.size());
  size_t first = rest.find(open);
  if (first == StringRef::npos)
    return "";
  return rest.drop_front(first + open.size()).split(close).first;
}

/// The first word of a text and what follows it.
std::pair<std::string, std::string> splitFirstWord(StringRef text) {
  auto [word, rest] = text.trim().split(' ');
  return {word.str(), rest.trim().str()};
}

} // namespace

std::vector<std::string> cameo::cli::findDataSets(const std::string &model) {
  StringRef parent = llvm::sys::path::parent_path(model);
  std::vector<std::pair<int64_t, std::string>> found;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(parent.empty() ? "." : parent, error), end;
       entry != end && !error; entry.increment(error)) {
    StringRef name = llvm::sys::path::filename(entry->path());
    int64_t number = 0;
    if (name.consume_front(kDataSet) && !name.getAsInteger(10, number))
      found.push_back({number, entry->path()});
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> folders;
  for (auto &[number, folder] : found)
    folders.push_back(folder);
  return folders;
}

PortType cameo::cli::getPortType(mlir::Type type) {
  PortType port;
  for (;;) {
    if (auto optional = llvm::dyn_cast<core::OptionalType>(type)) {
      port.kinds.push_back(ValueData::Kind::Optional);
      type = optional.getElement();
    } else if (auto sequence = llvm::dyn_cast<core::SequenceType>(type)) {
      port.kinds.push_back(ValueData::Kind::Sequence);
      type = sequence.getElement();
    } else {
      port.kinds.push_back(ValueData::Kind::Tensor);
      if (auto tensor = llvm::dyn_cast<core::SymTensorType>(type))
        port.elementType = core::getElementInfo(tensor.getElementType())->number;
      return port;
    }
  }
}

std::optional<Diagnostic> cameo::cli::readTensor(StringRef path, const ValueKindList &kinds,
                                                 TensorData &tensor) {
  DataResult result = readValueFile(path, kinds);
  if (result.diagnostic)
    return result.diagnostic;
  auto refuse = [&](const char *what) {
    return makeError(ExitClass::Unsupported, path,
                     fmt::format("holds {}, which the driver cannot pass on yet", what));
  };
  ValueData *value = &result.value;
  while (value->kind == ValueData::Kind::Optional) {
    if (value->elements.empty())
      return refuse("an optional that is empty");
    value = &value->elements.front();
  }
  if (value->kind == ValueData::Kind::Sequence)
    return refuse("a sequence");
  tensor = std::move(value->tensor);
  return std::nullopt;
}

/// The same of an output that is a tensor in place of maps, which the file may hold.
static std::optional<Diagnostic> readMaps(StringRef path, const llvm::json::Array &keys,
                                          TensorData &tensor) {
  std::vector<std::string> texts;
  for (const llvm::json::Value &key : keys) {
    std::optional<int64_t> number = key.getAsInteger();
    texts.push_back(number ? std::to_string(*number) : key.getAsString()->str());
  }
  DataResult result = readMapsFile(path, texts);
  tensor = std::move(result.value.tensor);
  return result.diagnostic;
}

std::optional<int64_t> cameo::cli::getDataNumber(StringRef name, StringRef stem) {
  int64_t number = 0;
  if (name.consume_front(stem) && !name.getAsInteger(10, number) && number >= 0)
    return number;
  return std::nullopt;
}

std::optional<Diagnostic> cameo::cli::readDataSet(const std::string &folder,
                                                  const Signature &signature, DataSet &data) {
  data.name = llvm::sys::path::filename(StringRef(folder).rtrim('/')).str();
  if (llvm::sys::path::extension(folder) == ".npz")
    return readNpz(folder, data);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    StringRef name = llvm::sys::path::filename(entry->path());
    // NAME.pb counts before NAME.npy: it can hold every type.
    if (name.consume_back(".npy") && !llvm::sys::fs::exists(folder + "/" + name + ".pb"))
      if (auto problem = readNpy(entry->path(), data.named[name.str()]))
        return problem;
    if (!name.consume_back(".pb"))
      continue;
    std::optional<int64_t> input = getDataNumber(name, "input_"),
                           output = getDataNumber(name, "output_");
    if (!input && !output)
      continue;
    const std::vector<PortType> &values = input ? signature.inputs : signature.outputs;
    auto number = static_cast<size_t>(input ? *input : *output);
    if (number >= values.size())
      return makeError(ExitClass::Usage, entry->path(),
                       fmt::format("is for {} {}, but the model has {}", input ? "input" : "output",
                                   number, values.size()));
    TensorData &tensor = input ? data.inputs[*input] : data.outputs[*output];
    const PortType &port = values[number];
    if (auto problem = port.keys ? readMaps(entry->path(), *port.keys, tensor)
                                 : readTensor(entry->path(), port.kinds, tensor))
      return problem;
  }
  if (error)
    return makeError(ExitClass::Io, folder, "cannot be read: " + error.message());
  if (std::string path = folder + "/expect_status"; llvm::sys::fs::exists(path)) {
    std::unique_ptr<llvm::MemoryBuffer> status;
    if (auto problem = readInputFile(path, kMaxStatusBytes, status))
      return problem;
    std::tie(data.expectedStatus, data.expectedNode) = splitFirstWord(status->getBuffer());
  }
  if (data.expectedStatus.empty() && data.inputs.empty() && data.outputs.empty() &&
      data.named.empty())
    return makeError(ExitClass::Usage, folder, "has neither .pb, .npy nor expect_status");
  return std::nullopt;
}

std::optional<Diagnostic> cameo::cli::readNpy(const std::string &path, TensorData &tensor) {
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (auto problem = readInputFile(path, kMaxDataBytes, file))
    return problem;
  return parseNpy(file->getBuffer(), path, tensor);
}

std::optional<Diagnostic> cameo::cli::parseNpy(StringRef rest, StringRef path, TensorData &tensor) {
  auto malformed = [&](std::string problem) {
    return makeError(ExitClass::Malformed, path, std::move(problem));
  };
  if (!rest.consume_front("\x93NUMPY") || rest.size() < 6)
    return malformed("is no .npy file");
  bool isLong = rest[0] != 1;
  uint32_t length = isLong ? llvm::support::endian::read32le(rest.data() + 2)
                           : llvm::support::endian::read16le(rest.data() + 2);
  rest = rest.drop_front(isLong ? 6 : 4);
  if (length > rest.size())
    return malformed("is cut");
  StringRef header = rest.take_front(length), type = getField(header, "'descr':", "'", "'");
  rest = rest.drop_front(length);
  // ml_dtypes calls its float8_e5m2 so.
  if (type == "<f1")
    type = "<V1";
  const ElementInfo *info = nullptr;
  for (const ElementInfo &known : getElementInfos())
    if (!info && !known.isPacked() && !known.isString() && !type.starts_with(">") &&
        !type.empty() && withoutOrder(type) == withoutOrder(known.npyName))
      info = &known;
  if (!info)
    return malformed("has elements of a type that is not known (" + quoteText(type) + ")");
  tensor.elementType = info->number;
  std::optional<int64_t> needed = getItemBytes(*info);
  if (getField(header, "'fortran_order':", " ", ",") != "False")
    return malformed("is in column-major order");
  llvm::SmallVector<StringRef> dims;
  getField(header, "'shape':", "(", ")").split(dims, ',', -1, /*KeepEmpty=*/false);
  tensor.dims.clear();
  for (StringRef dim : dims) {
    int64_t extent = 0;
    if (dim.trim().empty())
      continue;
    if (dim.trim().getAsInteger(10, extent) || extent < 0)
      return malformed("has a shape that cannot be read");
    tensor.dims.push_back(extent);
    needed = needed ? llvm::checkedMul(*needed, extent) : needed;
  }
  if (!needed || static_cast<uint64_t>(*needed) != rest.size())
    return malformed(fmt::format("holds {} bytes, which is not what its shape needs", rest.size()));
  tensor.bytes.assign(rest.begin(), rest.end());
  return std::nullopt;
}

void cameo::cli::takeAs(int32_t elementType, TensorData &tensor) {
  const ElementInfo *own = findElementInfo(tensor.elementType),
                    *wanted = findElementInfo(elementType);
  if (!own || !wanted || own == wanted || !isForeign(*wanted) ||
      getItemBytes(*own) != getItemBytes(*wanted))
    return;
  // Bits as they are: bytes, or integers of the size.
  bool isBits = own->kind == ElementKind::signed_integer ||
                own->kind == ElementKind::unsigned_integer || isForeign(*own);
  if (!isBits)
    return;
  tensor.elementType = elementType;
  tensor.bytes = packElements(elementType, std::move(tensor.bytes));
}

std::string cameo::cli::formatPb(const TensorData &tensor) {
  ValueData value;
  value.name = tensor.name;
  value.tensor = tensor;
  return writeValue(value);
}

std::string cameo::cli::formatNpy(const TensorData &tensor) {
  const ElementInfo &info = *findElementInfo(tensor.elementType);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   info.npyName.str(), fmt::join(tensor.dims, ", "),
                                   tensor.dims.size() == 1 ? "," : "");
  constexpr size_t kPrefix = 10, kAlignment = 64;
  header.append(kAlignment - (kPrefix + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::string npy = "\x93NUMPY";
  npy += '\1';
  npy += '\0';
  npy += static_cast<char>(header.size() & 0xff);
  npy += static_cast<char>(header.size() >> 8);
  npy += header;
  std::vector<char> items =
      unpackElements(tensor.elementType, tensor.bytes, getNumElements(tensor));
  npy.append(items.begin(), items.end());
  return npy;
}
