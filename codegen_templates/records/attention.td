// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"
include "variant.td"

def attention : CpuTemplate<"attention.h"> {
  let role = "Attention";
  let groups = [ExtentsMembers<"batch">];
  let params = (with Int<>:$queries, Int<>:$keys, Int<>:$depth, Int<>:$size, StaticFlag:$trans_k,
                       Array<"batch_rank">:$q_batch_stride, Array<"batch_rank">:$k_batch_stride,
                       Array<"batch_rank">:$v_batch_stride, Int<>:$q_stride, Int<>:$k_stride,
                       Int<>:$v_stride);
  let operands = (with In<"T", FloatTypes>:$q, In<"T">:$k, In<"T">:$v);
  let functors = (with Apply<"batch_rank + 2", "accumulator(T)">:$score,
                       Apply<"batch_rank + 2", "accumulator(T)">:$weight,
                       Store<"batch_rank + 2", "accumulator(T)">:$store);
  let takesScratch = 1;
  let scratchTypes = ["q"];
  let description = [{
    For each of `batch`: q is queries x depth, k depth x keys or (trans_k) keys x depth, v keys x size;
    strides are in elements, those without `batch` between rows, whose elements lie together.
    score({batch..., i, j}) gets the product of query i and key j, weight({batch..., i, j}) the
    softmax of what it yields over j, and store({batch..., i, c}) the sum over j of what that
    yields times v(j, c). score yields T or its accumulator. Order: as gemm, softmax and gemm.
  }];
}

/// In place of a product, a softmax and a product. Up to four queries are faster in these: as dot
/// products with keys where they lie.
def attention_in_one : Variant<attention, attention> { let guards = ["queries > 4"]; }
