// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def non_max_suppression : KernelTemplate<"non_max_suppression.h"> {
  let params = (with Int<>:$batch, Int<1>:$classes, Int<>:$boxes, Int<>:$most,
                     Flag:$center_point_box);
  let operands = (with In<"float">:$corners, OptionalIn<"float">:$iou_threshold,
                       Out<"int64_t">:$table);
  let functors = (with Load<"3", "1", ["float"]>:$load);
  let takesScratch = 1;
  let takesCounts = 1;
  let description = [{
    Per class the boxes of the highest scores, each unless it overlaps one chosen before by more than
    `iou_threshold`, one element, 0 where it is null. most is at most boxes. corners: batch, boxes, 4;
    load({batch, class, box}) is the score, NaN for a box that is out of question; of equal scores the
    lower box comes first. table: batch, classes, most, 3: batch, class and box in the order of
    choice, behind the last one box -1.
  }];
}
