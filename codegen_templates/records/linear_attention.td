// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def linear_attention : KernelTemplate<"linear_attention.h"> {
  let params = (with Int<>:$batch, Int<>:$tokens, Int<>:$heads, Int<>:$shared, Int<>:$key_size,
                     Int<>:$value_size, Int<>:$decays, Int<>:$rates);
  let operands = (with In<"T", ["half", "bfloat16", "float"]>:$query, In<"T">:$key, In<"T">:$value,
                       OptionalIn<"S">:$past, OptionalIn<"float">:$decay, OptionalIn<"T">:$rate);
  let functors = (with Store<"4", "accumulator(T)">:$store,
                       Store<"4", "accumulator(T)">:$store_state);
  let takesScratch = 1;
  let launches = "1";
  let takesCounts = 1;
  let description = [{
    query: batch, tokens, heads * shared, key_size; key: batch, tokens, heads, key_size; value: batch,
    tokens, heads, value_size; past: batch, heads, key_size, value_size, zeros where it is null;
    decay: batch, tokens, heads, decays, the last 1 or key_size; rate: batch, tokens, rates, the last
    1 or heads.
    Each head's state, which is the past one, is multiplied by the decay at each token; then the outer
    product of the key with the value is added or, with a rate, with rate * (value - what the state
    gives for the key). store({b, t, q, c}) gets the sum of query q times column c of the state of its
    head, q / shared; store_state({b, h, d, c}) the last state. Order: ascending in the key's elements.
  }];
}
