// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders of golden data: input_K.pb and output_K.pb, or a file expect_status in place of the
// outputs.

#ifndef CAMEO_TOOLS_DATASETS_H
#define CAMEO_TOOLS_DATASETS_H

#include "Import/TensorData.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cameo::cli {

struct DataSet {
  /// The folder's own name.
  std::string name;
  /// By position; what has no file is left out.
  std::map<int64_t, TensorData> inputs, outputs;
  /// The status that the run must end with, empty for success, and the node that it must name, if
  /// the data set says one.
  std::string expectedStatus, expectedNode;
};

/// The folders test_data_set_* beside a model, in the order of their numbers.
std::vector<std::string> findDataSets(const std::string &model);
std::optional<Diagnostic> readDataSet(const std::string &folder, DataSet &data);

/// The tensor in a .pb file.
std::optional<Diagnostic> readTensor(llvm::StringRef path, TensorData &tensor);
/// The same as the bytes of such a file.
std::string formatPb(const TensorData &tensor);
/// A tensor in NumPy's format; dtypes that NumPy does not have are written as unsigned integers.
std::optional<Diagnostic> readNpy(const std::string &path, TensorData &tensor);
std::string formatNpy(const TensorData &tensor);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_DATASETS_H
