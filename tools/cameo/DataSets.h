// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Golden data: folders of input_K.pb and output_K.pb or of .npy files, with a file expect_status in
// place of the outputs where the run must fail; or an .npz archive. It may be as hostile as a
// model: all is read as models are.

#ifndef CAMEO_TOOLS_DATASETS_H
#define CAMEO_TOOLS_DATASETS_H

#include "Import/TensorData.h"
#include "mlir/IR/Types.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cameo::cli {

/// The kinds that nest in a data file for a value of this type, from the outside in.
using ValueKindList = std::vector<ValueData::Kind>;

/// Type of an input or output: a tensor, or a holder of tensors, with elements of ONNX's
/// TensorProto.DataType.
struct PortType {
  ValueKindList kinds;
  int32_t elementType = 0;
  /// Keys of the columns, for an output in place of maps.
  std::optional<llvm::json::Array> keys = std::nullopt;
};
PortType getPortType(mlir::Type type);

/// The ports of a model's inputs and outputs.
struct Signature {
  std::vector<PortType> inputs, outputs;
};

/// Most bytes of a data file.
inline constexpr int64_t kMaxDataBytes = int64_t(1) << 34;

struct DataSet {
  /// The folder's own name.
  std::string name;
  /// By position; what has no file is left out.
  std::map<int64_t, TensorData> inputs, outputs;
  /// Arrays of NumPy by the names of their files, until resolveNames() (NumPyData.h).
  std::map<std::string, TensorData> named;
  /// The status that the run must end with, empty for success, and the node that it must name, if
  /// the data set says one.
  std::string expectedStatus, expectedNode;
};

/// The folders test_data_set_* beside a model, in the order of their numbers.
std::vector<std::string> findDataSets(const std::string &model);
/// A folder, or a file with the ending .npz. A .pb file does not say what it holds: `signature`
/// does.
std::optional<Diagnostic> readDataSet(const std::string &path, const Signature &signature,
                                      DataSet &data);

/// The K of input_K, `stem` being `input_`; none for another name.
std::optional<int64_t> getDataNumber(llvm::StringRef name, llvm::StringRef stem);

/// The tensor in a .pb file that holds `kinds`: it, or what an optional has.
std::optional<Diagnostic> readTensor(llvm::StringRef path, const ValueKindList &kinds,
                                     TensorData &tensor);
/// The same as the bytes of such a file.
std::string formatPb(const TensorData &tensor);
/// A tensor in NumPy's format, which several types of ONNX may share: what is read is the first of
/// them, until takeAs() says which.
std::optional<Diagnostic> readNpy(const std::string &path, TensorData &tensor);
std::optional<Diagnostic> parseNpy(llvm::StringRef content, llvm::StringRef path,
                                   TensorData &tensor);
/// Makes what was read elements of the type that is wanted, if that can be told in no other way.
void takeAs(int32_t elementType, TensorData &tensor);
std::string formatNpy(const TensorData &tensor);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_DATASETS_H
