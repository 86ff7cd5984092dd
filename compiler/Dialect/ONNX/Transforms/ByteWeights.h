// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantised weights as kernels want them: signed bytes. A zero point that these have no room for
// stays to be taken off sums.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_BYTEWEIGHTS_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_BYTEWEIGHTS_H

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"

#include <vector>

namespace cameo {

/// Weights of the channels along one axis, the first or the last: codes less zero points.
class ByteWeights {
public:
  /// Reads a constant of bytes and one zero point for all or one for each channel, null where it
  /// is 0; nullopt for anything else. Builds nothing.
  static std::optional<ByteWeights> read(mlir::Value w, mlir::Value zeroPoint,
                                         bool channelsAreLast);

  /// Whether no zero point is left.
  bool areCentred() const { return zeros.empty(); }
  /// The codes, in i8, of the type's extents or of as many others.
  mlir::Value getCodes(OnnxBuilder &b, llvm::ArrayRef<core::ExtentAttr> extents) const;
  /// The same, of two axes, as a matrix with a column for each channel.
  mlir::Value getMatrix(OnnxBuilder &b) const;
  /// In i32: what is left of the zero points, one or one for each channel; and the sum of each
  /// channel's weights, their zero points taken off.
  mlir::Value getZeros(OnnxBuilder &b) const { return integers(b, zeros); }
  mlir::Value getSums(OnnxBuilder &b) const { return integers(b, sums); }
  /// The sum of each channel's codes.
  mlir::Value getSumsOfCodes(OnnxBuilder &b) const;

private:
  mlir::Value integers(OnnxBuilder &b, llvm::ArrayRef<int32_t> values) const;

  mlir::Value source;
  bool channelsAreLast = false;
  std::vector<char> codes;
  std::vector<int32_t> zeros, sums;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_BYTEWEIGHTS_H
