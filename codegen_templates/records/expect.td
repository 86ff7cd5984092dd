// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def expect : KernelTemplate<"expect.h"> {
  let sets = [Cuda];
  let params = (with Keyword<"cameo_code", ["CAMEO_OUT_OF_RANGE", "CAMEO_INVALID_ARGUMENT"]>:$code,
                       Int<>:$count);
  let operands = (with Out<"int64_t">:$y);
  let functors = (with Load<"1", "1", ["int64_t"]>:$value, Load<"1", "1", ["int64_t"]>:$least,
                       Load<"1", "1", ["int64_t"]>:$most);
  let mayRaise = 1;
  let takesCounts = 1;
  let description = [{
    How many of `count` integers are less than their least or more than their most goes to y[0]; each
    is an error, of that code.
  }];
}
