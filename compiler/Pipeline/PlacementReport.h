// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `cameo explain` shows: where every value lives and why, and every crossing
// with what would remove it. Read off the placed module; says nothing that the program does not do.

#ifndef CAMEO_PIPELINE_PLACEMENTREPORT_H
#define CAMEO_PIPELINE_PLACEMENTREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace cameo {

struct PlacementReport {
  struct PlacedValue {
    /// Its ONNX name, escaped; that of its node and result where it has none.
    std::string name;
    /// `Conv:conv1`, or `input`.
    std::string producer;
    std::string type;
    /// `host`, `device` or `both`.
    std::string side;
    std::string reason;
  };
  struct Crossing {
    /// `fetch` (device to host) or `stage` (host to device).
    std::string kind;
    std::string value, bytes, producer;
    std::vector<std::string> consumers;
    /// Whether the caller's thread waits for it.
    bool blocking = false;
    /// Whether it happens in every iteration of a loop.
    bool inLoop = false;
    std::string remedy;
  };

  std::vector<PlacedValue> values;
  std::vector<Crossing> crossings;
  int64_t readbacks = 0, uploads = 0, blockingSyncs = 0;
  bool hasDevice = true;

  llvm::json::Object toJson() const;
  /// For reading in a terminal.
  std::string toText() const;
};

/// Of a module behind Place. Without a device there is one side, and no rule of placement is a
/// reason for anything.
PlacementReport makePlacementReport(mlir::ModuleOp module, bool hasDevice);

} // namespace cameo

#endif // CAMEO_PIPELINE_PLACEMENTREPORT_H
