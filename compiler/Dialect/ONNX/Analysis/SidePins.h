// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values have to be whatever it costs, by their ONNX names: the user wants them there
// (PinExpressions), or the device has no kernel for their operators (--fallback). The cut obeys.
// They stand in `cameo.pins` of the function until values have their sides.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace cameo {

class SidePins {
public:
  struct Pin {
    core::Side side;
    /// Pinned or NoKernel.
    onnx::SideCause cause;
  };

  SidePins() = default;
  /// The pins that stand at `function`.
  explicit SidePins(mlir::func::FuncOp function);

  void add(llvm::StringRef name, Pin pin) { pins[name] = pin; }
  /// Writes them to `function`, in place of others.
  void write(mlir::func::FuncOp function) const;
  static void erase(mlir::func::FuncOp function);

  bool isEmpty() const { return pins.empty(); }
  std::optional<Pin> lookup(mlir::Value value) const;

private:
  llvm::StringMap<Pin> pins;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_SIDEPINS_H
