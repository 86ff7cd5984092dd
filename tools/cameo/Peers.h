// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other programs that run a model, asked what they make of the same inputs: ONNX Runtime, ONNX's
// reference evaluator, the model's own source in PyTorch. Each runs in the user's Python
// (peer/peer.py), in a process with limits: it may crash, and what it links is not ours.

#ifndef CAMEO_TOOLS_PEERS_H
#define CAMEO_TOOLS_PEERS_H

#include "Compare.h"
#include "DataSets.h"
#include "Process.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cameo::cli {

struct Peer {
  /// As the user calls it, and the two parts of that: `torch:FILE.py`.
  std::string name, kind, script;
};

/// --against, --python and --seeds.
class PeerFlags {
public:
  void addTo(CLI::App &verb);
  bool isGiven() const { return !texts.empty(); }
  /// Whether the model only has to run (`none`).
  bool isNone() const { return texts.size() == 1 && texts.front() == "none"; }
  std::optional<Diagnostic> read(std::vector<Peer> &peers) const;
  const std::string &getPython() const { return python; }
  /// How many data sets are made up for each choice of extents.
  const std::optional<int64_t> &getSeeds() const { return seeds; }

private:
  std::vector<std::string> texts;
  std::string python = "python3";
  std::optional<int64_t> seeds;
};

/// A request to one peer.
struct PeerRequest {
  std::string model;
  Signature signature;
  std::vector<std::string> inputs, outputs;
  /// By case, the inputs by position.
  std::vector<const std::map<int64_t, TensorData> *> cases = {};
  std::string python = "python3";
  ProgramLimits limits = ProgramLimits();
};

/// A peer's result of one case: outputs by position, or why there are none.
struct Voice {
  std::string name;
  std::string refusal = {};
  std::map<int64_t, TensorData> outputs = {};
};

/// As many voices as cases. On failure says why: exit 3 where Python or the package is missing, 8
/// where the peer refuses the model, 6 where it takes too much.
std::optional<Diagnostic> askPeer(const Peer &peer, const PeerRequest &request,
                                  std::vector<Voice> &voices);

/// The allowance of an output, by its position.
using AllowanceOf = llvm::function_ref<Allowance(int64_t)>;
/// Whether two have the same outputs within what these are allowed, or both have none.
bool agree(const Voice &a, const Voice &b, AllowanceOf allowance);
/// The one that differs from all others, of which there are two at least, and which agree.
std::optional<size_t> findAlone(const std::vector<Voice> &voices, AllowanceOf allowance);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_PEERS_H
