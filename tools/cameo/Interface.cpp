// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Interface.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/TypeReport.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace cameo;
using namespace cameo::cli;

Interface cameo::cli::readInterface(mlir::ModuleOp module) {
  Interface read;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  auto add = [](mlir::Type type, mlir::StringAttr name, std::vector<PortType> &types,
                std::vector<std::string> &names, std::vector<int64_t> &ranks) {
    auto tensor = mlir::dyn_cast<core::SymTensorType>(type);
    types.push_back(getPortType(type));
    names.push_back(name ? name.str() : "");
    ranks.push_back(tensor && tensor.hasRank() ? tensor.getRank() : -1);
  };
  for (unsigned number = 0; number < main.getNumArguments(); ++number) {
    add(main.getArgumentTypes()[number],
        main.getArgAttrOfType<mlir::StringAttr>(number, "onnx.name"), read.signature.inputs,
        read.inputs, read.inputRanks);
    std::vector<std::string> &dims = read.inputDims.emplace_back();
    if (read.inputRanks.back() >= 0)
      for (core::ExtentAttr extent :
           mlir::cast<core::SymTensorType>(main.getArgumentTypes()[number]).getExtents())
        dims.push_back(extent.isSymbol()      ? extent.getSymbolName().str()
                       : extent.isConstant(1) ? "1"
                                              : "");
    read.hasDefault.push_back(static_cast<bool>(main.getArgAttr(number, "onnx.default")));
  }
  for (unsigned number = 0; number < main.getNumResults(); ++number) {
    add(main.getResultTypes()[number],
        main.getResultAttrOfType<mlir::StringAttr>(number, "onnx.name"), read.signature.outputs,
        read.outputs, read.outputRanks);
    read.signature.outputs.back().keys = core::reportKeys(main.getResultAttr(number, "onnx.keys"));
  }
  for (mlir::Value result : main.getBody().back().getTerminator()->getOperands())
    read.roundings.push_back(getRounding(result));
  return read;
}

std::vector<Interface::Counted> cameo::cli::readCounted(mlir::ModuleOp module) {
  std::vector<Interface::Counted> counted;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  main.walk([&](prog::ExtentsOp told) {
    for (auto [output, axis] : llvm::zip_equal(told.getOutputs(), told.getAxes())) {
      auto type = mlir::cast<core::SymTensorType>(main.getResultTypes()[output]);
      counted.push_back({static_cast<size_t>(output), static_cast<size_t>(axis),
                         type.getExtents()[static_cast<size_t>(axis)].str()});
    }
  });
  return counted;
}

void ToleranceFlags::addTo(CLI::App &verb) {
  verb.add_option("--rtol", relative, "relative tolerance of floats");
  verb.add_option("--atol", absolute, "absolute tolerance of floats");
  verb.add_option("--largest", largest,
                  "what floats may be off as a share of their tensor's largest element, where that "
                  "is below 1e4 (default 1e-6 of float32; 0 with --rtol or --atol)")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--steps", steps,
                  "steps of their scale that quantised outputs may be off (default 1)")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--norm", norm,
                  "relative L2 norm of the error that outputs behind a DynamicQuantizeLinear may "
                  "have (default 0.05)")
      ->check(CLI::NonNegativeNumber);
}

Allowance ToleranceFlags::getAllowance(const Rounding &rounding) const {
  Allowance allowance{relative, absolute, largest};
  if (rounding.isQuantised) {
    allowance.steps = steps;
    allowance.scales = rounding.scales;
    allowance.axis = rounding.axis;
  }
  // A norm of 0 allows none.
  allowance.norm = rounding.isBehindDynamic ? norm : std::min(norm, rounding.narrowError);
  return allowance;
}
