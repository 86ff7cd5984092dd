// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

class Product<string file, dag more = (with)> : KernelTemplate<file> {
  let groups = [ExtentsMembers<"batch">];
  let params = !con((with Int<>:$m, Int<>:$n, Int<>:$k, StaticFlag:$trans_a, StaticFlag:$trans_b,
                          Array<"batch_rank">:$a_batch_stride, Array<"batch_rank">:$b_batch_stride),
                    more);
  let takesCounts = 1;
}

def gemm : Product<"gemm.h"> {
  let role = "Product";
  let operands = (with Apart<"a_batch_stride", "m*k", In<"A">>:$a,
                       Apart<"b_batch_stride", "k*n", In<"B">>:$b);
  let functors = (with Store<"batch_rank + 2", "product(A, B)">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["a", "b"];
  let description = [{
    store({batch..., i, j}) gets the sum over k of a(i,k) * b(k,j). trans_a: a is k x m; trans_b: b is
    n x k. Strides are in elements; 0 broadcasts.
    Order: one accumulator per output, k ascending. cpu, both operands float or both double, m <= 4,
    trans_b and not trans_a (unless m = 1), or n = 1, or n <= 4 and m > 4, with k >= 16 and not trans_a:
    16 lanes over k, folded by halves.
  }];
}

def gemm_tiles : Product<"gemm_tiles.h", (with Factors:$factors)> {
  let sets = [Cuda];
  let operands = (with Apart<"a_batch_stride", "m*k", In<"T", ["half", "bfloat16", "float"]>>:$a,
                       Apart<"b_batch_stride", "k*n", In<"T">>:$b);
  let functors = (with Store<"batch_rank + 2", "accumulator(T)">:$store);
  let takesScratch = 1;
  let scratchTypes = ["a"];
  let replaces = "gemm";
  let description = [{
    gemm on the tensor core. Order: k in steps of 16, which the tensor core sums, ascending, whatever
    the tile; of deep constant products with few tiles the sum of four slices of k, in their order. Of
    floats each step is of 8, and three products of the operands' parts of 11 bits, the smallest left
    out; each 32 are summed by themselves first. Errors of those are a float's, and what is not finite
    is gemm's. With `factors` one product of both operands rounded to a type, to nearest: tf32 in steps of
    8, ties away from 0; bf16 and fp16 in steps of 16, ties to even. Scratch: for operands that do not begin at a multiple of 16 bytes.
  }];
}

def gemm_blocked : CpuTemplate<"gemm.h"> {
  let params = (with Int<>:$m, Int<>:$n, Int<>:$k, StaticFlag:$trans_a);
  let operands = (with In<"float">:$a, Laid<"blocks", In<"float">, ["16"]>:$b);
  let functors = (with Store<"2", "float_type()">:$store);
  let takesScratch = 1;
  let description = [{
    gemm for b[n / 16][k][16], whose missing columns are zero: nothing of it is packed. store({i, j}),
    for true columns only. Order: one accumulator per output, k ascending.
  }];
}

def gemm_blocked_bytes : CpuTemplate<"gemm_bytes.h"> {
  let params = (with Int<>:$m, Int<>:$n, Int<>:$k);
  let operands = (with In<"uint8_t">:$a, Laid<"blocks", In<"int8_t">>:$b);
  let functors = (with Store<"2", "product(uint8_t, int8_t)">:$store);
  let extensions = ["avx512vnni"];
  let takesScratch = 1;
  let description = [{
    gemm for b[k / 4][n / 16][16][4], whose missing rows and columns are zero; sums wrap. store({i, j}),
    for true columns only.
  }];
}

class ProductOfCodes<string file, dag from, dag more = (with)> : KernelTemplate<file> {
  let role = "ProductOfCodes";
  let params = !con((with Int<>:$m, Int<>:$n, Int<>:$k, Int<1>:$group, StaticInt<2, 8>:$bits, Int<>:$zero_point),
                    more);
  let operands = from;
  let takesScratch = 1;
  let holds = ["column_lanes == 16"];
}

def gemm_codes : ProductOfCodes<"gemm_codes.h", (with In<"float">:$a, In<"uint32_t">:$codes, In<"float">:$scales,
                                                      OptionalIn<"uint32_t">:$zero_points)> {
  let sets = [Cpu];
  let functors = (with Store<"2", "float_type()">:$store);
  let description = [{
    gemm by b(k,j) = (codes(k,j) - zero_points(k / group, j)) * scales(k / group, j), rounded to a float. The
    three lie in blocks of 16 columns (cameo/pack/columns.h), codes and zero points 32 / bits to a number;
    bits are 2, 4 or 8. Where zero_points are null, all are zero_point. A group is a multiple of 32 / bits
    steps, or at least k. store({i, j}), for true columns only. Order: one accumulator per output, k ascending.
  }];
}

def gemm_codes_bytes : ProductOfCodes<"gemm_codes_bytes.h", (with In<"float">:$a, In<"uint32_t">:$codes,
                                                                  In<"float">:$scales, OptionalIn<"uint32_t">:$zero_points)> {
  let role = "ProductOfCodesByBytes";
  let sets = [Cpu];
  let functors = (with Store<"2", "float_type()">:$store);
  let extensions = ["avx512vnni"];
  let description = [{
    gemm_codes of rounded rows: each group of a row is a scale, its largest magnitude / 127, times bytes, to nearest, ties to
    even. Sums of a group are of integers, from which zero points go; then they are floats, times both scales. Of numbers below 1.5e-36
    alone the bytes are 0. An infinity in a group makes its finite numbers 0; with a NaN all sums of the row are NaN. A group is
    of 60000 steps at the most. Without vectors (rounds_rows) it is gemm_codes. Order: one accumulator per output, groups ascending.
  }];
}

def gemm_codes_tiles : ProductOfCodes<"gemm_codes_tiles.h",
    (with In<"T", ["half", "bfloat16", "float"]>:$a, In<"uint32_t">:$codes, In<"T">:$scales,
          OptionalIn<"uint32_t">:$zero_points), (with Factors:$factors)> {
  let sets = [Cuda];
  let functors = (with Store<"2", "accumulator(T)">:$store);
  let scratchTypes = ["a"];
  let takesCounts = 1;
  let replaces = "gemm_codes";
  let description = [{
    gemm_codes on the tensor core, of operands and scales of one type, to which b(k,j) is rounded. Order: as
    gemm_tiles, but that a few rows by a constant matrix, 512 deep or more, are the sum of eight slices of k, or
    of sixteen where the matrix has at most 4064 columns. Scratch: for a left operand that does not begin at a multiple of 16 bytes.
  }];
}
