// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values in ONNX's data files (`input_K.pb`, `output_K.pb`) without protobuf: what `cameo
// verify` reads and compares and `cameo run` writes. A file does not say which of the three
// messages it holds; the type of the model's input or output does.

#ifndef CAMEO_IMPORT_TENSORDATA_H
#define CAMEO_IMPORT_TENSORDATA_H

#include "Support/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cameo {

struct TensorData {
  std::string name;
  /// ONNX's TensorProto.DataType.
  int32_t elementType = 0;
  std::vector<int64_t> dims;
  /// The elements as in raw_data: little-endian, row-major, those of 4 and 2 bits packed, the first
  /// in the low bits. Empty for strings.
  std::vector<char> bytes;
  std::vector<std::string> strings;
};

/// A tensor, a sequence (any number of elements) or an optional (none or one).
struct ValueData {
  enum class Kind { Tensor, Sequence, Optional };

  Kind kind = Kind::Tensor;
  std::string name;
  TensorData tensor;
  std::vector<ValueData> elements;
};

/// The kinds that nest in a data file, from the outside in: {Optional, Sequence, Tensor}.
using ValueKinds = llvm::ArrayRef<ValueData::Kind>;

struct DataResult {
  ValueData value;
  /// Set when there is no value.
  std::optional<Diagnostic> diagnostic;
};

/// Reads a data file. It may be as hostile as a model: the same checks apply to its tensors.
DataResult readValueFile(llvm::StringRef path, ValueKinds kinds);
/// Reads a sequence of maps to floats as the tensor of their values: a row for each map, a column
/// for each of `keys`, numbers in decimal. A file that holds a tensor is read as that tensor.
DataResult readMapsFile(llvm::StringRef path, llvm::ArrayRef<std::string> keys);
/// The same as readValueFile from memory; `name` stands for the file.
DataResult readValue(llvm::StringRef bytes, llvm::StringRef name, ValueKinds kinds);

/// The bytes of a data file with this value.
std::string writeValue(const ValueData &value);

} // namespace cameo

#endif // CAMEO_IMPORT_TENSORDATA_H
