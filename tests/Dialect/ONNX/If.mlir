// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @if_names_what_branches_disagree_in
// CHECK: }) {{.*}} -> !cameo.tensor<[N, if_dim], f32>
func.func @if_names_what_branches_disagree_in(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N, 3], f32>,
                                              %y: !cameo.tensor<[N, 4], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 3], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[N, 4], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @if_c2_arguments(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a then_branch with a wrong number of inputs (C2, got 1, need 0)}}
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }, {
  ^bb0(%a: !cameo.tensor<[], f32>):
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @if_c2_yields(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a else_branch with a wrong number of outputs (C2, got 0, need 1)}}
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"() : () -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @if_c3(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[N], f64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{along control flow edge}}
  %0 = "onnx.If"(%c) ({
    // expected-note @+1 {{region branch point}}
    "onnx.Yield"(%y) : (!cameo.tensor<[N], f64>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
