// RUN: cameo-opt %s --cameo-verify-kernels --split-input-file --verify-diagnostics

func.func @main() {
  func.return
}
// expected-error@+1 {{is started by no launch}}
host.kernel @idle [] attributes {called = "idle", counted = [], file = 0 : i64, memories = [#host.memory<any>], names = ["y"], numbers = [], spans = [#cameo.extent<4>]} {
^bb0(%y: !cameo.tensor<[1], f32, host>):
  %0 = prog.kernel [#cameo.extent<1>] dests(%y : !cameo.tensor<[1], f32, host>) maps [] -> [affine_map<(d0) -> (d0)>] symbols [] ties [0] attributes {prog.offsets} : !cameo.tensor<[1], f32, host> {
    %1 = prog.s_constant 0.0 : f32
    prog.yield %1 : f32
  }
}

// -----

func.func @main(%y: !cameo.tensor<[N], f32, host>) {
  // expected-error@+1 {{does not give what @fill takes}}
  host.launch_kernel @fill(%y : !cameo.tensor<[N], f32, host>) symbols() numbers [] writes [!cameo.tensor<[N], f32, host>]
  func.return
}
host.kernel @fill ["N"] attributes {called = "fill", counted = [], file = 0 : i64, memories = [#host.memory<any>], names = ["y"], numbers = [], spans = [#cameo.extent<4 * N>]} {
^bb0(%y: !cameo.tensor<[N], f32, host>):
  %0 = prog.kernel [#cameo.extent<N>] dests(%y : !cameo.tensor<[N], f32, host>) maps [] -> [affine_map<(d0) -> (d0)>] symbols [] ties [0] attributes {prog.offsets} : !cameo.tensor<[N], f32, host> {
    %1 = prog.s_constant 0.0 : f32
    prog.yield %1 : f32
  }
}

// -----

func.func @main(%y: !cameo.tensor<[N], f32, host>) {
  host.launch_kernel @fill(%y : !cameo.tensor<[N], f32, host>) symbols() numbers [] writes [!cameo.tensor<[N], f32, host>]
  func.return
}
// expected-error@+1 {{does not take symbol 'N'}}
host.kernel @fill [] attributes {called = "fill", counted = [], file = 0 : i64, memories = [#host.memory<any>], names = ["y"], numbers = [], spans = [#cameo.extent<4 * N>]} {
^bb0(%y: !cameo.tensor<[N], f32, host>):
  %0 = prog.kernel [#cameo.extent<N>] dests(%y : !cameo.tensor<[N], f32, host>) maps [] -> [affine_map<(d0) -> (d0)>] symbols [] ties [0] attributes {prog.offsets} : !cameo.tensor<[N], f32, host> {
    %1 = prog.s_constant 0.0 : f32
    prog.yield %1 : f32
  }
}

// -----

func.func @main(%y: !cameo.tensor<[N], f32, host>, %n: i64) {
  host.launch_kernel @fill(%y : !cameo.tensor<[N], f32, host>) symbols(%n : i64) numbers [] writes [!cameo.tensor<[N], f32, host>]
  func.return
}
// expected-error@+1 {{has a body whose maps are no offsets}}
host.kernel @fill ["N"] attributes {called = "fill", counted = [], file = 0 : i64, memories = [#host.memory<any>], names = ["y"], numbers = [], spans = [#cameo.extent<4 * N>]} {
^bb0(%y: !cameo.tensor<[N], f32, host>):
  %0 = prog.kernel [#cameo.extent<N>] dests(%y : !cameo.tensor<[N], f32, host>) maps [] -> [affine_map<(d0) -> (d0)>] symbols [] ties [0] : !cameo.tensor<[N], f32, host> {
    %1 = prog.s_constant 0.0 : f32
    prog.yield %1 : f32
  }
}

// -----

func.func @main(%x: !cameo.tensor<[N, 2], f32, host>) {
  func.return
}
host.kernel @flat ["N"] attributes {called = "flat", counted = [], file = 0 : i64, memories = [#host.memory<any>], names = ["y"], numbers = [], spans = [#cameo.extent<8 * N>]} {
^bb0(%y: !cameo.tensor<[N, 2], f32, host>):
  // expected-error@+1 {{does not fit an index of rank 2}}
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<2>] dests(%y : !cameo.tensor<[N, 2], f32, host>) maps [] -> [affine_map<(d0, d1) -> (d0 * 2 + d1)>] symbols [] ties [0] : !cameo.tensor<[N, 2], f32, host> {
    %1 = prog.s_constant 0.0 : f32
    prog.yield %1 : f32
  }
}
