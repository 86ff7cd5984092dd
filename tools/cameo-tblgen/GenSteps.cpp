// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-steps: the steps of compiler/Dialect/Prog/IR/ConstantSteps.td as CAMEO_STEP(attribute of
// prog).

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

static void emitSteps(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Steps of constants", os, records);
  for (const Record *step : records.getAllDerivedDefinitions("Prog_Step"))
    os << "CAMEO_STEP(" << step->getValueAsString("cppClassName") << ")\n";
  os << "#undef CAMEO_STEP\n";
}

static TableGen::Emitter::Opt registration("gen-steps", emitSteps, "Steps of constants as a list");
