// RUN: split-file %s %t
// RUN: cameo-opt %t/kept.mlir --cameo-set-target=name=cuda --cameo-select-branches --cameo-repeat-loops --cameo-place --mlir-timing --mlir-timing-display=tree -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: cameo-opt %t/changed.mlir --cameo-set-target=name=cuda --cameo-select-branches --cameo-repeat-loops --cameo-place --mlir-timing --mlir-timing-display=tree -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGED
//
// The cut is solved once for a function, and again where a pass has changed it.

// KEPT: SelectBranchesPass
// KEPT-NEXT: (A) cameo::SideAnalysis
// KEPT-NOT: SideAnalysis
//--- kept.mlir
func.func @kept(%x: !cameo.tensor<[N], f32>, %flag: !cameo.tensor<[], i1>, %m: !cameo.tensor<[], i64>) -> !cameo.tensor<[N], f32> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %y = "onnx.Loop"(%true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %grown = "onnx.Add"(%s, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %more = "onnx.Less"(%i, %m) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %z = "onnx.If"(%flag) ({
    %0 = "onnx.Abs"(%y) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32>
  func.return %z : !cameo.tensor<[N], f32>
}

// A loop that is left to the device.
// CHANGED: SelectBranchesPass
// CHANGED-NEXT: (A) cameo::SideAnalysis
// CHANGED-NEXT: RepeatLoopsPass
// CHANGED-NEXT: PlacePass
// CHANGED-NEXT: (A) cameo::SideAnalysis
//--- changed.mlir
func.func @changed(%x: !cameo.tensor<[N], f32>, %flag: !cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32> {
  %limit = "onnx.Constant"() <{value = dense<1000.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %y = "onnx.Loop"(%true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %grown = "onnx.Add"(%s, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %most = "onnx.ReduceMax"(%grown) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
    %more = "onnx.Less"(%most, %limit) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %z = "onnx.If"(%flag) ({
    %0 = "onnx.Abs"(%y) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32>
  func.return %z : !cameo.tensor<[N], f32>
}
