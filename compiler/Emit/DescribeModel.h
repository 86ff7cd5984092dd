// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model's table (abi.h): inputs, outputs, symbols, nodes, weights.

#ifndef CAMEO_EMIT_DESCRIBEMODEL_H
#define CAMEO_EMIT_DESCRIBEMODEL_H

#include "Emit/CppWriter.h"
#include "Emit/EmitWeights.h"
#include "Emit/HostLayout.h"

namespace cameo {

/// Prints the tables that the model's table points to, into the namespace of the generated code;
/// returns the members of the model's table itself.
llvm::SmallVector<Code> describeModel(const HostLayout &layout, const WeightsInfo &weights,
                                      CppWriter &writer);

} // namespace cameo

#endif // CAMEO_EMIT_DESCRIBEMODEL_H
