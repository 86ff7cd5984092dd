// RUN: cameo-opt %s --cameo-plan-weights --cameo-plan-buffers --cameo-prepare --split-input-file | FileCheck %s

// A run is a list of statements: symbols, memory, bindings, then a step per kernel, which writes through
// a destination. What a statement needs of a dim is an operand of its.

#id = affine_map<(d0) -> (d0)>
#node = loc("Relu:relu1"(fused<["h"]>[unknown]))

// CHECK-LABEL: func.func @read_symbols() {
// CHECK-NEXT: host.read_dims ["N"]
// CHECK-NEXT: host.symbol "N"
// CHECK-NEXT: return
// CHECK-LABEL: func.func @infer_shapes() {
// CHECK-NEXT: host.read_symbols
// CHECK-NEXT: %[[N:.*]] = host.symbol "N"
// CHECK-NEXT: host.set_shape 0[%[[N]]]
// CHECK-LABEL: func.func @memory() {
// CHECK-NOT: host.describe_arena
// CHECK-LABEL: func.func @main
// CHECK-SAME: host.dims = [#host.dim<symbol, symbol 0, 0 to -1, "N">]
// CHECK-SAME: host.buffer_names = ["h"], host.symbols = ["N"]
// CHECK-NEXT: host.read_symbols 1
// CHECK-NEXT: %[[N:.*]] = host.symbol "N"
// CHECK-NEXT: host.plan host 0 device 0
// CHECK-NEXT: %[[X:.*]] = host.bind_input 0 "x"
// CHECK-NEXT: %[[Y:.*]] = host.bind_output 0 "y"[%[[N]]]
// CHECK-NEXT: host.ready
// CHECK-NEXT: host.step 1
// CHECK-NEXT: host.launch ["N"] = (%[[N]] : i64) {
// CHECK-NEXT: prog.kernel {{.*}} ins(%[[X]] {{.*}} dests(%[[Y]] {{.*}} ties [0]
// CHECK: host.step 2
// CHECK-NEXT: host.launch
// CHECK-NEXT: prog.kernel {{.*}} ins(%[[Y]], %[[X]] {{.*}} dests(%[[Y]]
// CHECK: host.done
module {
  func.func @main(%x: !cameo.tensor<[N], f32, host> {onnx.name = "x"}) -> (!cameo.tensor<[N], f32, host> {onnx.name = "y"}) {
    %h = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>) maps [#id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[N], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    } loc(#node)
    %y = prog.kernel [#cameo.extent<N>] ins(%h, %x : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>) maps [#id, #id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[N], f32, host> {
    ^bb0(%e: f32, %f: f32):
      %0 = prog.s_add %e, %f : f32
      prog.yield %0 : f32
    }
    func.return %y : !cameo.tensor<[N], f32, host>
  }
}

// -----

// What the inputs decide is computed in front of the run; its symbols are members of what it leaves.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @read_symbols() {
// CHECK: %[[DATA:.*]] = host.input_data 0 "n"
// CHECK-NEXT: %[[AT:.*]] = host.evaluate #cameo.extent<0>()
// CHECK-NEXT: %[[ELEMENT:.*]] = host.element %[[DATA]][%[[AT]]]
// CHECK-NEXT: %[[VALUE:.*]] = host.bind "n" = %[[ELEMENT]]
// CHECK-NEXT: %[[K:.*]] = host.bind entry "k" = %[[VALUE]]
// CHECK: host.check %[[K]] le
// CHECK-LABEL: func.func @main
// CHECK: %[[K:.*]] = host.symbol "k"
// CHECK-NOT: host.bind_input
// CHECK: host.bind_output 0 "output_0"[%[[K]]]
// CHECK: host.launch ["k"] = (%[[K]] : i64)
module {
  func.func @main(%n: !cameo.tensor<[], i64, host> {onnx.name = "n"}) -> !cameo.tensor<[k], i64, host> {
    %0 = prog.element %n[#cameo.extent<0>] : !cameo.tensor<[], i64, host> -> i64
    prog.bind <"k" in [0, 64]> = %0 checked
    %y = prog.kernel [#cameo.extent<k>] maps [] -> [#id] symbols [] ties [-1] : !cameo.tensor<[k], i64, host> {
      %1 = prog.s_index 0
      prog.yield %1 : i64
    }
    func.return %y : !cameo.tensor<[k], i64, host>
  }
}

// -----

// Two buffers that change places: the body yields them the other way round, and a symbol that the loop
// carries is one more value.

#here = affine_map<(d0)[s0] -> (d0)>
#flip = affine_map<(d0)[s0] -> (-d0 + s0)>

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = host.bind_output 0
// CHECK: %[[B:.*]] = host.at 1 :
// CHECK-NEXT: %{{.*}}:2, %{{.*}} = host.loop "i" to %{{.*}} limited [{{.*}}] = (%[[A]], %[[B]]
// CHECK-NEXT: ^bb0(%{{.*}}: i64, %[[CURRENT:.*]]: !cameo.tensor<{{.*}}>, %[[NEXT:.*]]: !cameo.tensor<{{.*}}>):
// CHECK: prog.kernel {{.*}} ins(%[[CURRENT]] {{.*}} dests(%[[NEXT]]
// CHECK: host.yield %[[NEXT]], %[[CURRENT]]
module {
  func.func @main(%x: !cameo.tensor<[4], f32, host>, %n: !cameo.tensor<[], i64, host>) -> !cameo.tensor<[4], f32, host> {
    %trips = prog.element %n[#cameo.extent<0>] : !cameo.tensor<[], i64, host> -> i64
    %l = prog.loop <"i"> to %trips carry(%x : !cameo.tensor<[4], f32, host>) symbols [] = [] : !cameo.tensor<[4], f32, host> {
    ^bb0(%c: !cameo.tensor<[4], f32, host>):
      %a = prog.kernel [#cameo.extent<4>] ins(%c : !cameo.tensor<[4], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<3>] ties [-1] : !cameo.tensor<[4], f32, host> {
      ^bb0(%e: f32):
        prog.yield %e : f32
      }
      prog.yield %a : !cameo.tensor<[4], f32, host>
    }
    func.return %l : !cameo.tensor<[4], f32, host>
  }
}

// -----

// A number that nobody sizes anything by has no name.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @main
// CHECK: prog.kernel
// CHECK-NOT: host.bind "
// CHECK: host.done
module {
  func.func @main(%x: !cameo.tensor<[4], i64, host>) -> !cameo.tensor<[4], i64, host> {
    %y = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], i64, host>) maps [#id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[4], i64, host> {
    ^bb0(%e: i64):
      prog.yield %e : i64
    }
    %n = prog.element %y[#cameo.extent<0>] : !cameo.tensor<[4], i64, host> -> i64
    prog.bind <"k" in [0, 64]> = %n
    func.return %y : !cameo.tensor<[4], i64, host>
  }
}
