// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The importer as a program, for tests that are scripts:
//   import_file MODEL...      per model a line: exit class, seconds, peak MiB, the diagnostic
//   import_file --ir MODEL    the module
//   import_file --history     per line an upgrade, or an operator with its first operator set

#include "Import/Import.h"
#include "Import/Upgrade/Upgrade.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <sys/resource.h>

using namespace cameo;

namespace {

double getPeakMiB() {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int importOne(llvm::StringRef path, bool printIr) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto start = std::chrono::steady_clock::now();
  ImportResult result = importModel(path, {}, context);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  int code = result.diagnostic ? static_cast<int>(result.diagnostic->exitClass) : 0;
  if (printIr && result.module)
    result.module->print(llvm::outs(), mlir::OpPrintingFlags().enableDebugInfo());
  else
    llvm::outs() << code << llvm::format(" %.3f %.0f ", seconds.count(), getPeakMiB())
                 << (result.diagnostic ? result.diagnostic->str() : "") << "\n";
  return code;
}

} // namespace

int main(int argc, char **argv) {
  llvm::ArrayRef<char *> arguments(argv + 1, static_cast<size_t>(argc - 1));
  if (!arguments.empty() && llvm::StringRef(arguments[0]) == "--history") {
    for (const importer::UpgradeRow &row : importer::getAllUpgrades())
      llvm::outs() << "upgrade " << row.opType << " " << row.since << "\n";
    for (const importer::FirstVersion &row : importer::getFirstVersions())
      llvm::outs() << "first " << row.opType << " " << row.version << "\n";
    return 0;
  }
  bool printIr = !arguments.empty() && llvm::StringRef(arguments[0]) == "--ir";
  int code = 0;
  for (char *path : arguments.drop_front(printIr))
    code = importOne(path, printIr);
  return code;
}
