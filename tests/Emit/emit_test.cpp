// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo-emit-test: prints what Emit makes of a planned .mlir, one file to standard output or all
// into a folder. For the goldens beside it.

#include "Emit/Emit.h"

#include "Finish/Passes.h"
#include "Prepare/Passes.h"
#include "Target/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  cl::opt<std::string> input(cl::Positional, cl::desc("INPUT.mlir"), cl::Required);
  cl::opt<std::string> name("name", cl::init("net"));
  cl::opt<std::string> target("target", cl::init("cpu"));
  cl::opt<std::string> file("file", cl::desc("the one file to print"));
  cl::opt<std::string> folder("o", cl::desc("where to write all files"));
  cl::opt<std::string> weights("weights", cl::init("embed"));
  cl::opt<bool> noHeap("no-heap"), noRuntime("no-runtime"), noThreads("no-threads");
  cl::ParseCommandLineOptions(argc, argv);

  cameo::EmitOptions options;
  options.name = name;
  options.target = cameo::findPlatform(target)->target;
  options.weights = weights == "embed"  ? cameo::EmitOptions::Weights::Embed
                    : weights == "file" ? cameo::EmitOptions::Weights::File
                                        : cameo::EmitOptions::Weights::Extern;
  options.heap = noHeap ? cameo::EmitOptions::Heap::None : cameo::EmitOptions::Heap::Runtime;
  options.threads = !noThreads;
  options.runtimeSources = !noRuntime;
  options.version = "0.0.0";
  options.command = "cameo compile " + name + ".onnx";

  mlir::DialectRegistry registry;
  registry.insert<cameo::core::CoreDialect, cameo::prog::ProgDialect, cameo::host::HostDialect,
                  mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, sources, &context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  cameo::SetTargetPassOptions aim;
  aim.name = target;
  passes.addPass(cameo::createSetTargetPass(aim));
  if (noHeap)
    passes.addPass(cameo::createCheckBoundsPass());
  passes.addPass(cameo::createPreparePass());
  for (std::unique_ptr<mlir::Pass> &pass : cameo::createFinishPasses())
    passes.addPass(std::move(pass));
  if (mlir::failed(passes.run(*module)))
    return 1;
  mlir::FailureOr<cameo::EmittedFiles> files = cameo::emitProgram(*module, options);
  if (mlir::failed(files))
    return 1;
  if (!file.empty()) {
    llvm::outs() << files->at(file).getText();
    return 0;
  }
  for (const auto &[path, content] : *files) {
    llvm::SmallString<128> whole(folder);
    llvm::sys::path::append(whole, path);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(whole));
    std::error_code error;
    llvm::raw_fd_ostream os(whole, error);
    if (error) {
      llvm::errs() << whole << ": " << error.message() << "\n";
      return 1;
    }
    content.forEachPiece([&](llvm::StringRef piece) {
      os << piece;
      return true;
    });
  }
  return 0;
}
