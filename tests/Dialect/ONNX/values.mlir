// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s
//
// Operators that known integers pass through: the last one of each chain makes a tensor of these extents.

// CHECK-LABEL: @gather_picks
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[W, N], f32>
func.func @gather_picks(%x: !cameo.tensor<[N, 3, W], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N, 3, W], f32>) -> !cameo.tensor<[3], i64>
  %i = "onnx.Constant"() <{value = dense<[-1, 0]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %g = "onnx.Gather"(%s, %i) : (!cameo.tensor<[3], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.ConstantOfShape"(%g) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @slice_goes_backward
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[W, N], f32>
func.func @slice_goes_backward(%x: !cameo.tensor<[N, 3, W], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N, 3, W], f32>) -> !cameo.tensor<[3], i64>
  %a = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %b = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<-9> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %t = "onnx.Constant"() <{value = dense<-2> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %r = "onnx.Slice"(%s, %b, %e, %a, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[3], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>,
         !cameo.tensor<[1], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.ConstantOfShape"(%r) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @unsqueeze_and_concat
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[3 * N, 5], f32>
func.func @unsqueeze_and_concat(%x: !cameo.tensor<[N, 3, 5], f32>) -> !cameo.tensor<*, f32> {
  %n = "onnx.Size"(%x) : (!cameo.tensor<[N, 3, 5], f32>) -> !cameo.tensor<[], i64>
  %z = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %v = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %d = "onnx.Div"(%n, %v) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
  %u = "onnx.Unsqueeze"(%d, %z) : (!cameo.tensor<[], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i64>
  %w = "onnx.Unsqueeze"(%v, %z) : (!cameo.tensor<[], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i64>
  %s = "onnx.Concat"(%u, %w) <{axis = 0 : i64}>
      : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N, 3, 5], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @split_and_reduce
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[15 * W], f32>
func.func @split_and_reduce(%x: !cameo.tensor<[N, 3, 5, W], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N, 3, 5, W], f32>) -> !cameo.tensor<[4], i64>
  %l = "onnx.Constant"() <{value = dense<[1, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %p:2 = "onnx.Split"(%s, %l) : (!cameo.tensor<[4], i64>, !cameo.tensor<[2], i64>)
      -> (!cameo.tensor<[1], i64>, !cameo.tensor<[3], i64>)
  %r = "onnx.ReduceProd"(%p#1) : (!cameo.tensor<[3], i64>) -> !cameo.tensor<[1], i64>
  %0 = "onnx.ConstantOfShape"(%r) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @range_and_transpose
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[2, 4, 3, 5], f32>
func.func @range_and_transpose() -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<2> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %b = "onnx.Constant"() <{value = dense<6> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %c = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %s = "onnx.Constant"() <{value = dense<[2, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %f = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %r = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[4], i64>
  %m = "onnx.Reshape"(%r, %s) : (!cameo.tensor<[4], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[2, 2], i64>
  %t = "onnx.Transpose"(%m) : (!cameo.tensor<[2, 2], i64>) -> !cameo.tensor<[2, 2], i64>
  %v = "onnx.Reshape"(%t, %f) : (!cameo.tensor<[2, 2], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[4], i64>
  %0 = "onnx.ConstantOfShape"(%v) : (!cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @expand_and_tile
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[N, N, N, N], f32>
func.func @expand_and_tile(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], i64>
  %two = "onnx.Constant"() <{value = dense<2> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Expand"(%s, %two) : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[2], i64>
  %t = "onnx.Tile"(%e, %two) : (!cameo.tensor<[2], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[4], i64>
  %0 = "onnx.ConstantOfShape"(%t) : (!cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// A mask of -1 where the shape says so: what exporters of Expand write.
// CHECK-LABEL: @constant_of_shape_and_where
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[1, 4], f32>
func.func @constant_of_shape_and_where() -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[-1, 4]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %l = "onnx.Constant"() <{value = dense<2> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %m = "onnx.Constant"() <{value = dense<-1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %o = "onnx.ConstantOfShape"(%l) <{value = dense<1> : tensor<1xi64>}>
      : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[2], i64>
  %e = "onnx.Equal"(%s, %m) : (!cameo.tensor<[2], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[2], i1>
  %w = "onnx.Where"(%e, %o, %s)
      : (!cameo.tensor<[2], i1>, !cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.ConstantOfShape"(%w) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @scatter_nd_writes
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[N, 7], f32>
func.func @scatter_nd_writes(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<[2], i64>
  %i = "onnx.Constant"() <{value = dense<-1> : tensor<1x1xi64>}> : () -> !cameo.tensor<[1, 1], i64>
  %u = "onnx.Constant"() <{value = dense<7> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %w = "onnx.ScatterND"(%s, %i, %u)
      : (!cameo.tensor<[2], i64>, !cameo.tensor<[1, 1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.ConstantOfShape"(%w) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @scatter_elements_adds
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[N + 7, 3], f32>
func.func @scatter_elements_adds(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<[2], i64>
  %i = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %u = "onnx.Constant"() <{value = dense<7> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %w = "onnx.ScatterElements"(%s, %i, %u) <{reduction = "add"}>
      : (!cameo.tensor<[2], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.ConstantOfShape"(%w) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @squeeze_and_cast
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<[N], i32>
func.func @squeeze_and_cast(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, i32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], i64>
  %q = "onnx.Squeeze"(%s) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[], i64>
  %n = "onnx.Cast"(%q) <{to = 6 : i64}> : (!cameo.tensor<[], i64>) -> !cameo.tensor<[], i32>
  %z = "onnx.Constant"() <{value = dense<0> : tensor<i32>}> : () -> !cameo.tensor<[], i32>
  %o = "onnx.Constant"() <{value = dense<1> : tensor<i32>}> : () -> !cameo.tensor<[], i32>
  %0 = "onnx.Range"(%z, %n, %o)
      : (!cameo.tensor<[], i32>, !cameo.tensor<[], i32>, !cameo.tensor<[], i32>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}
