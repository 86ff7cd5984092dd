// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def fourier : KernelTemplate<"fourier.h"> {
  let groups = [ExtentsMembers<"batch">];
  let params = (with StaticFlag:$real_output, Flag:$inverse, Int<>:$points, Int<>:$terms, Int<>:$bins,
                       Int<>:$parts);
  let operands = (with In<"T", ["float", "double"]>:$roots);
  let functors = (with Load<"batch_rank + 2", "bins", ["float", "double"]>:$load,
                           Store<"batch_rank + 2", "T">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["roots"];
  let takesCounts = 1;
  let description = [{
    The sums over n < terms of x[n] e^(-2 pi i k n / points), inverse: of e^(2 pi i k n / points), for
    k < bins, not divided by points. load({batch..., n, part}) for part < parts: 1, of real numbers, or
    2. store({batch..., k, part}) gets both. real_output (inverse, 2 parts): x are the first half of a
    spectrum, points / 2 + 1 at most, whose other half is their conjugate, and results are real: part
    is 0. roots[2][points]: cosines and sines of 2 pi k / points. load is called once on the CPU.
    Order, cpu: fast transforms, of a power of two points around it where points have a factor beyond
    31; an infinity or NaN makes NaN of the results of its row. cuda: sums of 32 terms.
  }];
}
