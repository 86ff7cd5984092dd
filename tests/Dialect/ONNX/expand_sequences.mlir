// RUN: cameo-opt %s --cameo-expand-sequences --split-input-file | FileCheck %s
//
// Operators on sequences become operators on their tensors.

// What is written in the model needs no choice.
// CHECK-LABEL: @known_positions
// CHECK-NOT: onnx.Seq
// CHECK: return %arg1, %arg0
func.func @known_positions(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[M, 2], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %last = "onnx.Constant"() <{value = dense<-1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.SequenceConstruct"(%y) : (!cameo.tensor<[M, 2], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
  %1 = "onnx.SequenceInsert"(%0, %x) : (!cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<[N], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
  %2 = "onnx.SequenceAt"(%1, %last) : (!cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  %3 = "onnx.SequenceErase"(%1) : (!cameo.seq<!cameo.tensor<*, f32>>) -> !cameo.seq<!cameo.tensor<*, f32>>
  %4 = "onnx.SequenceAt"(%3, %last) : (!cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %4, %2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// A position that only a run knows is checked by a Gather, and chooses.
// CHECK-LABEL: @choice
// CHECK-DAG: %[[AT:.*]] = "onnx.Gather"
// CHECK: "onnx.Less"(%[[AT]]
// CHECK: "onnx.If"
// CHECK: onnx.Yield"(%arg1)
// CHECK: onnx.Yield"(%arg0)
// CHECK-NOT: onnx.Sequence
func.func @choice(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[M], f32>, %at: !cameo.tensor<[], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.SequenceConstruct"(%x, %y) : (!cameo.tensor<[N], f32>, !cameo.tensor<[M], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
  %1 = "onnx.SequenceAt"(%0, %at) : (!cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %1 : !cameo.tensor<*, f32>
}

// -----

// What a loop adds in each iteration is stacked; the stack is what they are one behind the other.
// CHECK-LABEL: @collected
// CHECK: %[[LOOP:.*]] = "onnx.Loop"(%arg1)
// CHECK: "onnx.Yield"({{.*}}, %{{.*}}) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>)
// CHECK: return %[[LOOP]]
func.func @collected(%x: !cameo.tensor<[N], f32>, %n: !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.SequenceEmpty"() : () -> !cameo.seq<!cameo.tensor<*, f32>>
  %1 = "onnx.Loop"(%n, %0) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>, %s: !cameo.seq<!cameo.tensor<*, f32>>):
    %3 = "onnx.Neg"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %4 = "onnx.SequenceInsert"(%s, %3) : (!cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<[N], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
    "onnx.Yield"(%go, %4) : (!cameo.tensor<[], i1>, !cameo.seq<!cameo.tensor<*, f32>>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.seq<!cameo.tensor<*, f32>>) -> !cameo.seq<!cameo.tensor<*, f32>>
  %2 = "onnx.ConcatFromSequence"(%1) <{axis = 0 : i64, new_axis = 1 : i64}> : (!cameo.seq<!cameo.tensor<*, f32>>) -> !cameo.tensor<*, f32>
  func.return %2 : !cameo.tensor<*, f32>
}

// -----

// A loop that reads what it has collected keeps its sequence.
// CHECK-LABEL: @read_inside
// CHECK: "onnx.Loop"(%arg1, %
// CHECK: onnx.SequenceLength
func.func @read_inside(%x: !cameo.tensor<[N], f32>, %n: !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.SequenceEmpty"() : () -> !cameo.seq<!cameo.tensor<*, f32>>
  %1:2 = "onnx.Loop"(%n, %0) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>, %s: !cameo.seq<!cameo.tensor<*, f32>>):
    %3 = "onnx.SequenceLength"(%s) : (!cameo.seq<!cameo.tensor<*, f32>>) -> !cameo.tensor<[], i64>
    %4 = "onnx.SequenceInsert"(%s, %x) : (!cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<[N], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
    "onnx.Yield"(%go, %4, %3) : (!cameo.tensor<[], i1>, !cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<[], i64>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.seq<!cameo.tensor<*, f32>>) -> (!cameo.seq<!cameo.tensor<*, f32>>, !cameo.tensor<*, i64>)
  func.return %1#1 : !cameo.tensor<*, i64>
}

// -----

// Of a short file no million of operators comes.
// CHECK-LABEL: @too_many
// CHECK: onnx.SplitToSequence
// CHECK: onnx.SequenceErase
func.func @too_many(%x: !cameo.tensor<[1000000000000], f32>, %at: !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.SplitToSequence"(%x) <{axis = 0 : i64, keepdims = 1 : i64}> : (!cameo.tensor<[1000000000000], f32>) -> !cameo.seq<!cameo.tensor<[1], f32>>
  %1 = "onnx.SequenceErase"(%0, %at) : (!cameo.seq<!cameo.tensor<[1], f32>>, !cameo.tensor<[], i64>) -> !cameo.seq<!cameo.tensor<[1], f32>>
  %2 = "onnx.SequenceAt"(%1, %at) : (!cameo.seq<!cameo.tensor<[1], f32>>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %2 : !cameo.tensor<*, f32>
}

// -----

// Nor of an operand that is long.
// CHECK-LABEL: @too_many_lengths
// CHECK: onnx.SplitToSequence
func.func @too_many_lengths(%x: !cameo.tensor<[4], f32>, %l: !cameo.tensor<[268435456], i64>, %at: !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.SplitToSequence"(%x, %l) <{axis = 0 : i64, keepdims = 1 : i64}> : (!cameo.tensor<[4], f32>, !cameo.tensor<[268435456], i64>) -> !cameo.seq<!cameo.tensor<[?], f32>>
  %1 = "onnx.SequenceAt"(%0, %at) : (!cameo.seq<!cameo.tensor<[?], f32>>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %1 : !cameo.tensor<*, f32>
}

// -----

// An axis that is none, which the Shape stage refuses where it types what is built.
// CHECK-LABEL: @axis_that_is_none
// CHECK: %[[AXIS:.*]] = {{.*}}onnx.Constant{{.*}}dense<5>
// CHECK: "onnx.Unsqueeze"(%{{.*}}, %[[AXIS]])
func.func @axis_that_is_none(%x: !cameo.tensor<[4, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.SplitToSequence"(%x) <{axis = 0 : i64, keepdims = 0 : i64}> : (!cameo.tensor<[4, 3], f32>) -> !cameo.seq<!cameo.tensor<[3], f32>>
  %1 = "onnx.ConcatFromSequence"(%0) <{axis = 5 : i64, new_axis = 1 : i64}> : (!cameo.seq<!cameo.tensor<[3], f32>>) -> !cameo.tensor<*, f32>
  func.return %1 : !cameo.tensor<*, f32>
}
