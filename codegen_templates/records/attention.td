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

/// A length of rows that a kernel is compiled for, and distances of rows whose elements come by chunks.
def HeadSize : StaticInt<8, 128> { let example = 16; }
def ChunkStride : Int<> { let example = 16; }
def ChunkStrides : Array<"batch_rank"> { let example = 16; }

def attention_tiles : KernelTemplate<"attention_tiles.h"> {
  let sets = [Cuda];
  let role = "Attention";
  let groups = [ExtentsMembers<"batch">];
  let params = (with Int<>:$queries, Int<>:$keys, HeadSize:$depth, HeadSize:$size, StaticFlag:$trans_k,
                       ChunkStrides:$q_batch_stride, ChunkStrides:$k_batch_stride,
                       ChunkStrides:$v_batch_stride, ChunkStride:$q_stride, ChunkStride:$k_stride,
                       ChunkStride:$v_stride, Factors:$factors);
  let operands = (with In<"T", ["half", "bfloat16", "float"]>:$q, In<"T">:$k, In<"T">:$v);
  let functors = (with Apply<"batch_rank + 2", "accumulator(T)">:$score,
                       Store<"batch_rank + 2", "accumulator(T)">:$store);
  let takesScratch = 1;
  let scratchTypes = ["q"];
  let takesCounts = 1;
  let description = [{
    attention on the tensor core, whose weights are rounded to T and not changed otherwise. depth, size and
    all strides are multiples of 8, and keys without trans_k. Order: products as gemm_tiles has them; keys
    in steps, weights relative to the greatest score so far, divided by their sum at the end; where there
    are few queries, four or two slices of the keys by themselves, then their sum. What is not finite is
    attention's. Scratch: for operands that do not begin at a multiple of 16 bytes.
  }];
}

/// In place of a product, a softmax and a product. Up to four queries are faster in these, by a tenth.
/// Constant matrices get blocks of columns, which products read as they lie.
def attention_in_one : Variant<attention, attention> {
  let guards = ["queries > 4", "!constant(k) && !constant(v)"];
}

/// The same on a device. Its blocks take keys as chunks of 16 bytes, and queries by 16: for fewer of them
/// a head has one block, which long keys would keep from the others.
def attention_on_tensor_core : Variant<attention_tiles, attention_tiles> {
  let guards = ["!exact()", "known(depth) && multiple(depth, 8) && depth <= 128",
                "known(size) && multiple(size, 8) && size <= 128", "trans_k == 1 || multiple(keys, 8)",
                "multiple(q_stride, 8) && multiple(k_stride, 8) && multiple(v_stride, 8)",
                "multiple(q_batch_stride, 8) && multiple(k_batch_stride, 8) && multiple(v_batch_stride, 8)",
                "queries > 16 || keys <= 4096"];
}
