// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a model: a module that verifies, or one diagnostic that does not blame the compiler.

#include "fuzz.h"

#include "Import/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <memory>

using namespace cameo;

namespace {

/// Loading the dialect takes longer than importing a small model; what it has uniqued is given
/// back now and then.
mlir::MLIRContext &getContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % 1000 == 0)
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  return *context;
}

/// So low that no input runs for long, so high that every check is reached.
ImportOptions getOptions() {
  ImportOptions options;
  options.maxNodes = 500;
  options.maxWeightBytes = 1 << 20;
  options.maxTensorBytes = 1 << 24;
  options.maxStructureBytes = 1 << 22;
  return options;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext &context = getContext();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    return mlir::success();
  });
  // The first byte is no part of the model: a flag.
  ImportOptions options = getOptions();
  if (size > 0 && data[0] % 3 != 0)
    options.freezeInitializers = data[0] % 3 == 1;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  ImportResult result = importModelFromBytes(bytes.drop_front(size > 0), "fuzz", options, context);

  fuzz::require(static_cast<bool>(result.module) != result.diagnostic.has_value(),
                "a module or a diagnostic");
  if (result.diagnostic)
    fuzz::require(result.diagnostic->exitClass != ExitClass::Internal, "a user's mistake is no bug",
                  result.diagnostic->str());
  if (result.module)
    fuzz::require(succeeded(mlir::verify(*result.module)), "what is imported verifies", said);
  return 0;
}
