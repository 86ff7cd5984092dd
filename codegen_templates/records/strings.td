// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def lookup_strings : CpuTemplate<"strings.h"> {
  let params = (with Int<>:$elements, Int<>:$count);
  let operands = (with In<"cameo_string">:$x, In<"uint8_t">:$chars, In<"int64_t">:$ends,
                       In<"V">:$values, Out<"V">:$y);
  let description = [{
    x, y: `elements`. The value beside each string. The keys are `count` strings, ascending by their
    bytes and all different: their characters, one key behind the other, and where each ends; values:
    one more than keys, the last one for what is no key.
  }];
}

def strings_at : CpuTemplate<"strings.h"> {
  let params = (with Int<>:$elements);
  let operands = (with In<"uint8_t">:$chars, In<"int64_t">:$ends, In<"int64_t">:$places,
                       Out<"cameo_string">:$y);
  let description = [{
    places, y: `elements`. Strings of a table as lookup_strings has its keys, in any order: y refers
    to chars. A place is a string's number.
  }];
}
