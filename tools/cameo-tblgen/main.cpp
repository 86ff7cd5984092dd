// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backends of TableGen for the records of kernel templates; each registers itself.

#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

static llvm::TableGen::Emitter::Opt registration("dump-json", llvm::EmitJSON,
                                                 "All records, as JSON");
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv);
  return llvm::TableGenMain(argv[0], llvm::TableGenMainFn());
}
