// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gen-machines: the records of compiler/Target/Machines.td as constants, in a file where
// `MachineRecord` and `MachineNumber` are. A machine has each number of its kernel set once.

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

namespace {

/// Prints what `record` says of the numbers `wanted`, by name.
void printNumbers(raw_ostream &os, const Record &record, StringRef field,
                  ArrayRef<const Record *> wanted) {
  std::vector<const Record *> given = record.getValueAsListOfDefs(field);
  auto getNumber = [](const Record *value) { return value->getValueAsDef("number"); };
  for (const Record *number : wanted)
    if (count_if(given, [&](const Record *value) { return getNumber(value) == number; }) != 1)
      PrintFatalError(record.getLoc(),
                      record.getName() + " has to say once what " + number->getName() + " is");
  for (const Record *value : given)
    if (!is_contained(wanted, getNumber(value)))
      PrintFatalError(record.getLoc(),
                      record.getName() + " has no use for " + getNumber(value)->getName());
  std::vector<std::string> rows;
  for (const Record *value : given)
    rows.push_back("{\"" + convertToSnakeFromCamelCase(getNumber(value)->getName()) + "\", " +
                   std::to_string(value->getValueAsInt("value")) + "}");
  os << "inline constexpr std::array<MachineNumber, " << rows.size() << "> " << record.getName()
     << "_" << field << " = {{" << join(rows, ", ") << "}};\n";
}

/// The numbers of one class that machines with kernels of the set have.
std::vector<const Record *> getNumbersOf(const RecordKeeper &records, StringRef kind,
                                         const Record *set) {
  std::vector<const Record *> numbers;
  for (const Record *number : records.getAllDerivedDefinitions(kind))
    if (is_contained(number->getValueAsListOfDefs("sets"), set))
      numbers.push_back(number);
  return numbers;
}

void emitMachines(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Machines", os, records);
  for (const Record *machine : records.getAllDerivedDefinitions("Machine")) {
    const Record *set = machine->getValueAsDef("kernels");
    printNumbers(os, *machine, "facts", getNumbersOf(records, "Fact", set));
    printNumbers(os, *machine, "prices", getNumbersOf(records, "Resource", set));
    os << "inline constexpr MachineRecord " << machine->getName() << " = {\"" << machine->getName()
       << "\", " << machine->getName() << "_facts, " << machine->getName() << "_prices};\n";
  }
  for (const Record *crossing : records.getAllDerivedDefinitions("Crossing"))
    printNumbers(os, *crossing, "costs",
                 to_vector(records.getAllDerivedDefinitions("CrossingCost")));
}

} // namespace

static TableGen::Emitter::Opt registration("gen-machines", emitMachines, "Machines as constants");
