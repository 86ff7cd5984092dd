// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/NodeLocation.h"

#include "Support/Diagnostic.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;

Location cameo::makeNodeLocation(MLIRContext *context, StringRef opType, StringRef name,
                                 ArrayRef<StringRef> outputs) {
  Builder builder(context);
  Location names =
      FusedLoc::get(context, builder.getUnknownLoc(), builder.getStrArrayAttr(outputs));
  return NameLoc::get(builder.getStringAttr(opType + ":" + name), names);
}

namespace {

/// The ONNX names under a node's NameLoc; null when it is no such location.
ArrayAttr getOutputs(NameLoc location) {
  auto names = dyn_cast<FusedLoc>(location.getChildLoc());
  return names ? dyn_cast_or_null<ArrayAttr>(names.getMetadata()) : ArrayAttr();
}

} // namespace

StringRef NodeLocation::getOutput(unsigned number) const {
  return number < outputs.size() ? cast<StringAttr>(outputs[number]).getValue() : StringRef();
}

namespace {

/// Appends a node, or what is new of the one that was appended last: operators that one node became
/// name it alike, but for its results.
void addNode(const NodeLocation &node, SmallVectorImpl<NodeLocation> &nodes) {
  bool isLast = !nodes.empty() && !node.name.empty() && nodes.back().opType == node.opType &&
                nodes.back().name == node.name;
  if (!isLast)
    nodes.push_back(node);
  else if (nodes.back().getOutput(0).empty())
    nodes.back().outputs = node.outputs;
}

} // namespace

void cameo::collectNodes(Location location, SmallVectorImpl<NodeLocation> &nodes) {
  SmallVector<Location> pending{location};
  DenseSet<Attribute> seen;
  while (!pending.empty()) {
    Location current = pending.pop_back_val();
    // Passes share and fuse locations: what was visited once names nothing new.
    if (!seen.insert(current).second)
      continue;
    if (auto fused = dyn_cast<FusedLoc>(current)) {
      llvm::append_range(pending, llvm::reverse(fused.getLocations()));
    } else if (auto call = dyn_cast<CallSiteLoc>(current)) {
      pending.push_back(call.getCaller());
      pending.push_back(call.getCallee());
    } else if (auto named = dyn_cast<NameLoc>(current)) {
      ArrayAttr outputs = getOutputs(named);
      if (!outputs) {
        pending.push_back(named.getChildLoc());
        continue;
      }
      auto [opType, name] = named.getName().getValue().split(':');
      addNode({opType, name, outputs}, nodes);
    }
  }
}

Location cameo::fuseLocations(MLIRContext *context, ArrayRef<Location> locations,
                              ArrayRef<StringRef> outputs) {
  return FusedLoc::get(context, locations, Builder(context).getStrArrayAttr(outputs));
}

StringRef cameo::getNodeName(Location location) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  return nodes.empty() ? StringRef() : nodes.front().name;
}

std::string cameo::describeNode(Location location) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  return nodes.empty() ? ""
                       : escapeText(nodes.front().opType) + ":" + escapeText(nodes.front().name);
}

StringRef cameo::getOutputName(Location location, unsigned number) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  return nodes.empty() ? StringRef() : nodes.front().getOutput(number);
}

StringRef cameo::getValueName(Location location, unsigned number, unsigned count) {
  if (auto fused = dyn_cast<FusedLocWith<ArrayAttr>>(location))
    if (number < fused.getMetadata().size())
      return cast<StringAttr>(fused.getMetadata()[number]).getValue();
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  if (nodes.empty())
    return "";
  // The last of fused nodes makes the results; where each makes one, the last ones do.
  const NodeLocation &last = nodes.back();
  auto getName = [](const NodeLocation &node, unsigned output) {
    StringRef name = node.getOutput(output);
    return name.empty() ? node.name : name;
  };
  if (number < last.outputs.size() && (count == 1 || last.outputs.size() >= count))
    return getName(last, number);
  if (nodes.size() >= count)
    return getName(nodes[nodes.size() - count + number], 0);
  return last.name;
}

static bool makes(const NodeLocation &node, StringRef name) {
  return node.outputs && llvm::is_contained(node.outputs.getAsValueRange<StringAttr>(), name);
}

Location cameo::getMakerLocation(Location location, unsigned number, unsigned count) {
  StringRef name = getValueName(location, number, count);
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  for (const NodeLocation &node : llvm::reverse(nodes))
    if (makes(node, name))
      return makeNodeLocation(location.getContext(), node.opType, node.name, name);
  return location;
}

Location cameo::getOwnLocation(Location location) {
  auto fused = dyn_cast<FusedLocWith<ArrayAttr>>(location);
  if (!fused)
    return location;
  Location first = fused.getLocations().front();
  SmallVector<NodeLocation> nodes;
  collectNodes(first, nodes);
  bool makesResults = llvm::any_of(nodes, [&](const NodeLocation &node) {
    return llvm::any_of(fused.getMetadata().getAsValueRange<StringAttr>(),
                        [&](StringRef name) { return makes(node, name); });
  });
  return makesResults ? location : getOwnLocation(first);
}
