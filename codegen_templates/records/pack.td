// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

/// Element types of less than a byte.
defvar PackedTypes = ["int4_t", "uint4_t", "int2_t", "uint2_t", "float4_e2m1", "float6_e2m3",
                      "float6_e3m2"];

def pack_elements : KernelTemplate<"pack.h"> {
  let params = (with Int<>:$count);
  let operands = (with Laid<"packed", Out<"uint8_t">>:$y);
  let functors = (with Load<"1", "1", PackedTypes>:$load);
  let takesCounts = 1;
  let description = [{
    The elements of less than a byte as ONNX packs them into the bytes `y`: one stream of bits, the
    first element in the low bits, zeros behind the last. A byte is written by one thread, at once.
    Kernels read packed elements through `packed<T>` (cameo/scalar.h), which is like a pointer to them.
  }];
}
