// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/NodeLocation.h"

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
      NodeLocation &node = nodes.emplace_back();
      std::tie(node.opType, node.name) = named.getName().getValue().split(':');
      for (auto output : outputs.getAsRange<StringAttr>())
        node.outputs.push_back(output);
    }
  }
}

StringRef cameo::getNodeName(Location location) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  return nodes.empty() ? StringRef() : nodes.front().name;
}

StringRef cameo::getOutputName(Location location, unsigned number) {
  SmallVector<NodeLocation> nodes;
  collectNodes(location, nodes);
  if (nodes.empty() || number >= nodes.front().outputs.size())
    return "";
  return nodes.front().outputs[number];
}
