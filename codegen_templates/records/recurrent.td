// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

/// One layer, as ONNX has it.
class Recurrent : KernelTemplate<"recurrent.h"> {
  let takesScratch = 1;
  let scratchTypes = ["x"];
  let mayRaise = 1;
  let takesCounts = 1;
}
defvar LayerMembers = (with HostInt<>:$seq, Int<>:$batch, HostInt<>:$input, HostInt<>:$hidden,
                              StaticInt<1, 2>:$directions, StaticInt<0, 1>:$layout, Flag:$reverse,
                              Real:$clip, Optional<StaticFlag, "false">:$w_in_blocks);
defvar LayerInputs = (with In<"T", FloatTypes>:$x, Laid<"any", In<"T">, ["16"]>:$w, In<"T">:$r, OptionalIn<"T">:$b,
                               OptionalIn<"int32_t">:$sequence_lens, OptionalIn<"T">:$h0);
defvar LayerOutputs = (with OptionalOut<"T">:$y, OptionalOut<"T">:$y_h);

def lstm : Recurrent {
  let params = !con(LayerMembers, (with Flag:$input_forget));
  let operands = !con(LayerInputs, (with OptionalIn<"T">:$c0, OptionalIn<"T">:$peephole),
                      LayerOutputs, (with OptionalOut<"T">:$y_c));
  let functors = (with Apply<"1", "accumulator(T)">:$f, Apply<"1", "accumulator(T)">:$g,
                           Apply<"1", "accumulator(T)">:$h);
  let launches = "2 * seq + 3 + given(sequence_lens) + given(y_h) + given(y_c)";
  let description = [{
    Tensors as in ONNX (gates iofc, zrh), computed in accumulator_t<T>. `reverse`: for 1 direction.
    w_in_blocks, on the CPU: w[D][GH / 16][I][16]. clip 0: none. Activations get index<1>{direction}. Beyond its length a sequence keeps its state and
    y is 0; a length outside [0, seq] raises and is clamped. So are gru and rnn.
  }];
}

def gru : Recurrent {
  let params = !con(LayerMembers, (with Flag:$linear_before_reset));
  let operands = !con(LayerInputs, LayerOutputs);
  let functors = (with Apply<"1", "accumulator(T)">:$f, Apply<"1", "accumulator(T)">:$g);
  let launches = "4 * seq - linear_before_reset * seq + 2 + given(sequence_lens) + given(y_h)";
  let description = "See lstm.";
}

def rnn : Recurrent {
  let params = LayerMembers;
  let operands = !con(LayerInputs, LayerOutputs);
  let functors = (with Apply<"1", "accumulator(T)">:$f);
  let launches = "2 * seq + 2 + given(sequence_lens) + given(y_h)";
  let description = "See lstm.";
}
