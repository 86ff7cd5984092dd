// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the device runs, as conditional nodes: of the caller's graph, or of one that the run
// launches.
#include "device_state.h"

namespace cameo::cuda {

repetition::repetition(context &c, const int64_t *trips, bool begins, int64_t most)
    : conditional(c), trips_(trips), most_(most), left_(begins && most > 0 ? 1 : 0) {
  const bool sizes_are_new = c.planned_ || c.run_number_ <= 1;
  // A capture finds the scratch memory that a rehearsal has taken.
  const bool rehearsed = c.pass_ != context::pass::running || c.state_.rehearsing || c.captures();
  if (left_ != 0 && !rehearsed && sizes_are_new)
    left_ = 2;
}

repetition::~repetition() {
  end_body();
  if (graph_ != nullptr)
    cudaGraphDestroy(graph_);
}

bool repetition::next() {
  context &c = context_;
  end_body();
  if (left_ == 0 || !ok(c.device_status()))
    return false;
  --left_;
  first_ = c.state_.kernels + 1;
  const bool captures = left_ == 0 && !c.state_.rehearsing;
  return (!captures || add_loop()) && begin_body(body_);
}

/// A node that repeats `body_`, until `handle_` is 0; in a graph of its own in a plain run.
bool repetition::add_loop() {
  context &c = context_;
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus captured;
  const bool has_graph =
      c.captures() ? c.check(cudaStreamGetCaptureInfo(c.compute.stream(), &captured, nullptr,
                                                      &graph, nullptr, nullptr, nullptr))
                   : c.check(cudaGraphCreate(&graph_, 0));
  if (graph == nullptr)
    graph = graph_;
  if (!has_graph ||
      !c.check(cudaGraphConditionalHandleCreate(&handle_, graph, 1, cudaGraphCondAssignDefault)))
    return false;
  cudaGraphNodeParams node = {};
  node.conditional.handle = handle_;
  node.conditional.type = cudaGraphCondTypeWhile;
  return add_node(node, graph, &body_, 1);
}

void repetition::again(const bool *condition) {
  context &c = context_;
  launch_again(c.compute, condition, {handle_, trips_, most_, c.options.max_loop_trips, first_});
}

status repetition::end() {
  start();
  return context_.device_status();
}

/// The executable graph is freed when it has run.
void repetition::start() {
  context &c = context_;
  if (graph_ == nullptr || !ok(c.device_status()))
    return;
  cudaGraphExec_t executable = nullptr;
  if (!c.check(cudaGraphInstantiate(&executable, graph_, 0)))
    return;
  c.check(cudaGraphLaunch(executable, c.compute.stream()));
  c.check(cudaGraphExecDestroy(executable));
}

} // namespace cameo::cuda
