// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data sets as NumPy writes them: .npy files in a folder, or one .npz archive. An array is called
// as the model calls the input or output, or input_K or output_K.

#ifndef CAMEO_TOOLS_NUMPYDATA_H
#define CAMEO_TOOLS_NUMPYDATA_H

#include "DataSets.h"

namespace cameo::cli {

/// The arrays of an archive that numpy.savez wrote.
std::optional<Diagnostic> readNpz(const std::string &path, DataSet &data);

/// Gives the arrays their positions, and the types that the model has there. A name of the model
/// goes before a number: exporters call inputs input_1.
std::optional<Diagnostic> resolveNames(DataSet &data, const Signature &signature,
                                       const std::vector<std::string> &inputs,
                                       const std::vector<std::string> &outputs, bool needsOutputs);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_NUMPYDATA_H
