// RUN: cameo-opt %s --cameo-verify-host --split-input-file --verify-diagnostics

// Runs broken by hand, one way each.

#id = affine_map<(d0) -> (d0)>

func.func @main(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host> attributes {host.symbols = []} {
  host.read_symbols 1
  host.plan host 0
  %in = host.bind_input 0 "x" : <[4], f32, host>
  %four = host.evaluate #cameo.extent<4>()
  %out = host.bind_output 0 "y"[%four] : <[4], f32, host>
  host.ready
  // expected-error @+1 {{is no statement}}
  %y = prog.kernel [#cameo.extent<4>] ins(%in : !cameo.tensor<[4], f32, host>) dests(%out : !cameo.tensor<[4], f32, host>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  host.done
  return %out : !cameo.tensor<[4], f32, host>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @main(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> attributes {host.symbols = ["N"]} {
  host.read_symbols 1
  %n = host.symbol "N"
  host.plan host 0
  %in = host.bind_input 0 "x" : <[N], f32, host>
  %out = host.bind_output 0 "y"[%n] : <[N], f32, host>
  host.ready
  // expected-error @+1 {{gives no value of symbol 'N'}}
  host.launch [] = () {
    %y = prog.kernel [#cameo.extent<N>] ins(%in : !cameo.tensor<[N], f32, host>) dests(%out : !cameo.tensor<[N], f32, host>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[N], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
  }
  host.done
  return %out : !cameo.tensor<[N], f32, host>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @main(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host> attributes {host.symbols = []} {
  host.read_symbols 1
  host.plan host 0
  %in = host.bind_input 0 "x" : <[4], f32, host>
  %four = host.evaluate #cameo.extent<4>()
  %out = host.bind_output 0 "y"[%four] : <[4], f32, host>
  host.ready
  // expected-error @+1 {{writes an input or a constant}}
  host.launch [] = () {
    %y = prog.kernel [#cameo.extent<4>] ins(%in : !cameo.tensor<[4], f32, host>) dests(%in : !cameo.tensor<[4], f32, host>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
  }
  host.done
  return %out : !cameo.tensor<[4], f32, host>
}

// -----

// expected-error @+1 {{does not plan once and end once}}
func.func @main() attributes {host.symbols = []} {
  host.read_symbols 0
  host.plan host 0
  return
}

// -----

func.func @main() attributes {host.symbols = []} {
  host.read_symbols 0
  host.plan host 0
  host.ready
  host.done
  // expected-error @+1 {{stands behind host.done}}
  host.step 1 []
  return
}

// -----

func.func @main(%x: !cameo.tensor<[4], f32, host>) attributes {host.symbols = []} {
  host.read_symbols 1
  host.plan host 0
  // expected-error @+1 {{is never followed by host.ready}}
  %in = host.bind_input 0 "x" : <[4], f32, host>
  host.done
  return
}

// -----

func.func @main() attributes {host.symbols = [], prog.buffers = [#prog.buffer<host, 16, 1, 1, at 0>]} {
  host.read_symbols 0
  // expected-error @+1 {{asks for row 0 before it has a place}}
  %h = host.at 0 "h" : <[4], f32, host>
  host.plan host 16
  host.ready
  host.done
  return
}

// -----

// A row that waits for a symbol has its place behind replan.
func.func @main() attributes {host.symbols = [], prog.buffers = [#prog.buffer<host, 4 * k, 1, 1>]} {
  host.read_symbols 0
  host.plan
  host.ready
  // expected-error @+1 {{asks for row 0 before it has a place}}
  %h = host.at 0 "h" : <[k], f32, host>
  %bytes = host.evaluate #cameo.extent<16>()
  host.replan host from 1 rows [0] bytes(%bytes)
  host.done
  return
}

// -----

func.func @main() attributes {host.symbols = [], prog.buffers = [#prog.buffer<host, 16, 1, 1, output 0>]} {
  host.read_symbols 0
  host.plan host 0
  host.ready
  // expected-error @+1 {{asks for row 0, which is an output's}}
  %h = host.at 0 "h" : <[4], f32, host>
  host.done
  return
}

// -----

// expected-error @+1 {{never binds output 0}}
func.func @main(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host> attributes {host.symbols = []} {
  host.read_symbols 1
  host.plan host 0
  host.ready
  host.done
  return %x : !cameo.tensor<[4], f32, host>
}

// -----

func.func @main(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host> attributes {host.symbols = []} {
  host.read_symbols 1
  host.plan host 0
  // expected-error @+1 {{delivers an output that is not bound here}}
  host.deliver 0
  %four = host.evaluate #cameo.extent<4>()
  %out = host.bind_output 0 "y"[%four] : <[4], f32, host>
  host.ready
  host.done
  return %out : !cameo.tensor<[4], f32, host>
}
