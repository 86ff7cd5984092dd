// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as JSON: docs/schemas has its form.

#include "Report/PlacementReport.h"
#include "cameo/abi.h"

using namespace cameo;

namespace {

llvm::json::Object readToJson(const PlacementReport::Read &read) {
  llvm::json::Object row{{"value", static_cast<int64_t>(read.value)}};
  if (!read.name.empty())
    row["name"] = read.name;
  if (read.crossing)
    row["crossing"] = static_cast<int64_t>(*read.crossing);
  if (read.isKernelArgument)
    row["kernel_argument"] = true;
  return row;
}

llvm::json::Array readsToJson(llvm::ArrayRef<PlacementReport::Read> reads) {
  llvm::json::Array rows;
  for (const PlacementReport::Read &read : reads)
    rows.push_back(readToJson(read));
  return rows;
}

llvm::json::Array numbersToJson(llvm::ArrayRef<size_t> numbers) {
  llvm::json::Array rows;
  for (size_t number : numbers)
    rows.push_back(static_cast<int64_t>(number));
  return rows;
}

llvm::json::Array nodesToJson(llvm::ArrayRef<PlacementReport::Node> nodes) {
  llvm::json::Array rows;
  for (const PlacementReport::Node &node : nodes) {
    llvm::json::Object row{{"name", node.name},
                           {"graph", static_cast<int64_t>(node.graph)},
                           {"operands", readsToJson(node.operands)},
                           {"results", numbersToJson(node.results)}};
    if (node.isConstant)
      row["constant"] = true;
    rows.push_back(std::move(row));
  }
  return rows;
}

llvm::json::Array graphsToJson(llvm::ArrayRef<PlacementReport::Graph> graphs) {
  llvm::json::Array rows;
  for (const PlacementReport::Graph &graph : graphs) {
    llvm::json::Object row{{"name", graph.name},
                           {"arguments", numbersToJson(graph.arguments)},
                           {"results", readsToJson(graph.results)}};
    if (graph.node)
      row["node"] = static_cast<int64_t>(*graph.node);
    rows.push_back(std::move(row));
  }
  return rows;
}

llvm::json::Array lateExtentsToJson(llvm::ArrayRef<PlacementReport::LateExtent> extents) {
  llvm::json::Array rows;
  for (const PlacementReport::LateExtent &extent : extents)
    rows.push_back(
        llvm::json::Object{{"axis", extent.axis}, {"value", static_cast<int64_t>(extent.value)}});
  return rows;
}

llvm::json::Array demandToJson(const PlacementReport::PlacedValue &value) {
  llvm::json::Array steps;
  for (const PlacementReport::DemandStep &step : value.demand) {
    llvm::json::Object row{{"kind", step.kind}, {"name", step.name}, {"node", step.node}};
    if (!step.operandClass.empty())
      row["class"] = step.operandClass;
    if (!step.value.empty())
      row["value"] = step.value;
    steps.push_back(std::move(row));
  }
  return steps;
}

llvm::json::Object captureToJson(const PlacementReport::Capture &capture) {
  llvm::json::Object row{{"capturable", capture.isPossible()},
                         {"choices", capture.choices},
                         {"kept_inputs", capture.keptInputs}};
  if (!capture.isPossible())
    row["obstacle"] = llvm::json::Object{
        {"producer", capture.producer}, {"remedy", capture.remedy}, {"value", capture.awaited}};
  return row;
}

} // namespace

llvm::json::Object PlacementReport::toJson() const {
  llvm::json::Array valueRows, crossingRows;
  for (const PlacedValue &value : values) {
    llvm::json::Object row = value.type;
    row["name"] = value.name;
    row["producer"] = value.producer;
    row["reason"] = value.reason;
    row["side"] = value.side;
    row["bytes"] = value.bytes;
    if (!value.demand.empty())
      row["demand"] = demandToJson(value);
    if (value.stepsSkipped != 0)
      row["demand_steps_skipped"] = static_cast<int64_t>(value.stepsSkipped);
    if (value.hostCost)
      row["cost_ns"] = llvm::json::Object{{"device", *value.deviceCost}, {"host", *value.hostCost}};
    valueRows.push_back(std::move(row));
  }
  for (const Crossing &crossing : crossings) {
    llvm::json::Object row{
        {"blocking", crossing.blocking},   {"bytes", crossing.bytes},
        {"consumers", crossing.consumers}, {"in_loop", crossing.perIterations != 0},
        {"kind", crossing.kind},           {"producer", crossing.producer},
        {"reason", crossing.reason},       {"remedy", crossing.remedy},
        {"value", crossing.value}};
    if (crossing.isLeftToDevice)
      row["left_to_device"] = true;
    if (crossing.perIterations != 0)
      row["per_iterations"] = crossing.perIterations;
    if (crossing.number)
      row["number"] = static_cast<int64_t>(*crossing.number);
    if (crossing.graph)
      row["graph"] = static_cast<int64_t>(*crossing.graph);
    crossingRows.push_back(std::move(row));
  }
  llvm::json::Array assertionRows;
  for (const Assertion &assertion : assertions)
    assertionRows.push_back(
        llvm::json::Object{{"assertion", assertion.text}, {"state", assertion.state}});
  llvm::json::Object report{{"schema", 3},
                            {"assertions", std::move(assertionRows)},
                            {"readbacks", readbacks},
                            {"uploads", uploads},
                            {"blocking_syncs", blockingSyncs},
                            {"late_extents", static_cast<int64_t>(lateExtents.size())},
                            {"told_behind", lateExtentsToJson(lateExtents)},
                            {"graphs", graphsToJson(graphs)},
                            {"nodes", nodesToJson(nodes)},
                            {"crossings", std::move(crossingRows)},
                            {"values", std::move(valueRows)}};
  if (hasDevice)
    report["launch_upload_bytes"] = CAMEO_LAUNCH_UPLOAD_BYTES;
  if (capture)
    report["capture"] = captureToJson(*capture);
  return report;
}
