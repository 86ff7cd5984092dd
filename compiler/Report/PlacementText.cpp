// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as text for a terminal.

#include "Report/PlacementReport.h"
#include "cameo/abi.h"

#include "Dialect/Core/IR/TypeReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cameo;
using namespace cameo::core;

namespace {

/// One line of the report.
std::string captureToText(const PlacementReport::Capture &capture) {
  if (!capture.isPossible())
    return llvm::formatv("capturable: no, the host waits for {0} ({1}){2}", capture.awaited,
                         capture.producer,
                         capture.remedy.empty() ? "" : "; to remove it: " + capture.remedy);
  std::string kept = llvm::join(capture.keptInputs, ", ");
  std::string choices = llvm::join(capture.choices, ", ");
  return "capturable: yes" +
         (choices.empty() ? "" : "; a graph chooses on the device at " + choices) +
         (kept.empty() ? "" : "; a graph keeps the elements that the host has read of " + kept);
}

std::string describeIterations(int64_t perIterations) {
  if (perIterations == 0)
    return "";
  return perIterations == 1 ? ", in every iteration"
                            : ", once in " + std::to_string(perIterations) + " iterations";
}

} // namespace

std::string PlacementReport::DemandStep::str() const {
  if (kind == "symbol")
    return value.empty() ? node + " (extent " + name + ")" : "extent " + name;
  if (kind == "yield")
    return node + " (end of " + name + ")";
  return node + " (" + name + (operandClass == "Data" ? "" : ", " + operandClass) + ")";
}

std::string PlacementReport::toText() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << readbacks << " readbacks, " << uploads << " uploads, " << blockingSyncs
         << " blocking syncs\n";
  if (auto fetched = llvm::count_if(crossings, [](const Crossing &c) { return c.blocking; });
      fetched > readbacks)
    stream << "one readback may be of several values: " << fetched << " are read back\n";
  if (!lateExtents.empty())
    stream << "extents of outputs told behind the run: " << lateExtents.size() << "\n";
  if (hasDevice)
    stream << "what the device gets of the host in a run, inputs too: at most "
           << CAMEO_LAUNCH_UPLOAD_BYTES << " bytes with a launch, more by a copy\n";
  if (capture)
    stream << captureToText(*capture) << "\n";
  if (!hasDevice)
    stream << "the target has no device: every value lives on the host (--target cuda has one)\n";
  for (const Assertion &assertion : assertions)
    stream << "asserted " << assertion.text << ": " << assertion.state << "\n";
  for (const Crossing &crossing : crossings) {
    stream << llvm::formatv("\n{0} {1}: {2} bytes{3}{4}\n  from {5} ({6})\n", crossing.kind,
                            crossing.value, describeExtent(crossing.bytes),
                            crossing.blocking         ? ", blocks"
                            : crossing.isLeftToDevice ? ", looked at on the device"
                                                      : "",
                            describeIterations(crossing.perIterations), crossing.producer,
                            crossing.reason);
    for (const std::string &consumer : crossing.consumers)
      stream << "  to " << consumer << '\n';
    if (!crossing.isLeftToDevice)
      stream << "  to remove it: " << crossing.remedy << '\n';
  }
  stream << '\n';
  for (const PlacedValue &value : values) {
    stream << llvm::formatv("{0,-6}  {1}: {2}  ({3}; {4})\n", value.side, value.name,
                            describeType(value.type), value.producer, value.reason);
    if (value.demand.empty())
      continue;
    stream << "          for ";
    for (auto [number, step] : llvm::enumerate(value.demand)) {
      bool isBehindGap = value.stepsSkipped != 0 && number == PlacementReport::kMaxSteps / 2;
      stream << (number == 0 ? "" : isBehindGap ? " ... " : " > ") << step.str();
    }
    stream << '\n';
  }
  return text;
}
