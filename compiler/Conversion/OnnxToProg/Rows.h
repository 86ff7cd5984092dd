// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iteration of row templates (codegen_templates/README.md): outer axes first, then the axes
// along which a template works.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_ROWS_H
#define CAMEO_CONVERSION_ONNXTOPROG_ROWS_H

#include "Conversion/OnnxToProg/Lowering.h"

namespace cameo {

struct Rows {
  llvm::SmallVector<core::ExtentAttr> outer, reduced;
  /// For each dim of the iteration, the axis of the tensor that it runs along. Where only the run
  /// knows which axes are outer ones, each is run along twice, once with an extent of 1.
  llvm::SmallVector<int64_t> axes;
  int64_t sourceRank = 0;

  /// Rows along these axes (counted from the front, in order).
  static Rows along(mlir::Value tensor, llvm::ArrayRef<int64_t> reducedAxes);
  /// Rows along one axis, which may be counted from the back.
  static Rows alongAxis(mlir::Value tensor, int64_t axis);
  /// Rows along all axes from `first` (which may be counted from the back) on.
  static Rows fromAxis(mlir::Value tensor, int64_t first);
  /// Rows along the axes of a list; the run is to check it.
  static Rows along(mlir::Value tensor, const onnx::AxisList &reducedAxes);
  /// The rows of a Reduce operator; nullopt when its axes are not on the host.
  static std::optional<Rows> ofReduction(Lowering &lower, mlir::Value tensor, mlir::Value axes,
                                         bool noopWithEmptyAxes);

  unsigned getRank() const { return axes.size(); }
  /// How many elements a row has.
  core::ExtentAttr getRowExtent(Lowering &lower) const;
  /// A result with an element per row: `result`, or one of the same elements with all axes.
  core::SymTensorType getReducedType(core::SymTensorType result) const;
  /// Where the tensor, or one of its extents, is read or stored.
  Index getSource(Lowering &lower) const;
  /// Where the result of a row goes in a tensor of `rank` axes: kept axes are 0 when they are
  /// there.
  Index getReducedIndex(Lowering &lower, unsigned rank) const;
};

} // namespace cameo

#endif // CAMEO_CONVERSION_ONNXTOPROG_ROWS_H
