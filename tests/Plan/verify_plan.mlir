// RUN: cameo-opt %s --cameo-verify-plan --split-input-file --verify-diagnostics

// Plans broken by hand, one way each.

#here = affine_map<(d0) -> (d0)>

// expected-error @+1 {{rows 0 and 1 share bytes and are both alive at step 1}}
func.func @overlap(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host>
    attributes {prog.buffers = [#prog.buffer<host, 100, 0, 2, at 0>, #prog.buffer<host, 16, 1, 2, at 64>]} {
  func.return %x : !cameo.tensor<[4], f32, host>
}

// -----

// expected-error @+1 {{row 0 cannot lie at 32}}
func.func @unaligned(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host>
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 2, at 32>]} {
  func.return %x : !cameo.tensor<[4], f32, host>
}

// -----

#here = affine_map<(d0) -> (d0)>

func.func @too_short(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host>
    attributes {prog.buffers = [#prog.buffer<host, 16, 1, 2, output 0>, #prog.buffer<host, 16, 0, 0, at 0>]} {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  // expected-error @+1 {{needs row 1 at step 1; it is alive from 0 through 0}}
  %b = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %b : !cameo.tensor<[4], f32, host>
}

// -----

#here = affine_map<(d0) -> (d0)>

func.func @clobbered(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host>
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 3, output 0>, #prog.buffer<host, 16, 0, 3, at 0>]} {
  // expected-note @+1 {{this value}}
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  // expected-note @+1 {{the row holds this one}}
  %b = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  // expected-error @+1 {{needs a value of row 1, which holds another by then}}
  %c = prog.kernel [#cameo.extent<4>] ins(%a, %b : !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>) maps [#here, #here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32, %f: f32):
    prog.yield %e : f32
  }
  func.return %c : !cameo.tensor<[4], f32, host>
}

// -----

#here = affine_map<(d0) -> (d0)>
#first = affine_map<(d0) -> (0)>

func.func @overwritten_while_read(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host>
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 2, output 0>]} {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  // expected-error @+1 {{writes row 0 where it reads it}}
  %b = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, host>) maps [#first] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %b : !cameo.tensor<[4], f32, host>
}

// -----

#here = affine_map<(d0) -> (d0)>

func.func @not_the_output(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host>
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 1, at 0>]} {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  // expected-error @+1 {{returns a value that is not in output 0}}
  func.return %a : !cameo.tensor<[4], f32, host>
}

// -----

// The second iteration would read what the first has written.

#here = affine_map<(d0) -> (d0)>

func.func @second_iteration(%x: !cameo.tensor<[4], f32, host>, %n: i64)
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 9, at 0>, #prog.buffer<host, 16, 0, 9, at 64>]} {
  // expected-note @+1 {{this value}}
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  prog.loop <"i"> to %n symbols [] = [] {
    // expected-error @+1 {{needs a value of row 0, which holds another by then}}
    %b = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    %c = prog.kernel [#cameo.extent<4>] ins(%b : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield
  }
  func.return
}

// -----

// A view writes nothing: every iteration finds what lay there in front of the loop.

#here = affine_map<(d0) -> (d0)>

func.func @view_of_outside(%x: !cameo.tensor<[4], f32, host>, %n: i64)
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 9, at 0>, #prog.buffer<host, 16, 0, 9, at 64>]} {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  prog.loop <"i"> to %n symbols [] = [] {
    %v = prog.view %a[#cameo.extent<0>] : !cameo.tensor<[4], f32, host> -> !cameo.tensor<[2, 2], f32, host>
    %w = prog.view %v[#cameo.extent<0>] : !cameo.tensor<[2, 2], f32, host> -> !cameo.tensor<[4], f32, host>
    %b = prog.kernel [#cameo.extent<4>] ins(%w : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield
  }
  func.return
}

// -----

// What every iteration reads lives to the loop's end.

#here = affine_map<(d0) -> (d0)>

func.func @dies_in_loop(%x: !cameo.tensor<[4], f32, host>, %n: i64)
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 2, at 0>, #prog.buffer<host, 16, 0, 9, at 64>]} {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  prog.loop <"i"> to %n symbols [] = [] {
    // expected-error @+1 {{needs row 0 at step 3; it is alive from 0 through 2}}
    %b = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield
  }
  func.return
}

// -----

// A copy to the host still reads what is overwritten.

#here = affine_map<(d0) -> (d0)>

func.func @overwritten_in_flight(%x: !cameo.tensor<[4], f32, device>)
    attributes {prog.buffers = [#prog.buffer<device, 16, 0, 4, at 0>]} {
  // expected-note @+1 {{this value}}
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, device>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, device> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %t = prog.fetch %a : !cameo.tensor<[4], f32, device> -> !prog.ticket<!cameo.tensor<[4], f32, device>>
  // expected-note @+1 {{the row holds this one}}
  %b = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, device>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, device> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  // expected-error @+1 {{needs a value of row 0, which holds another by then}}
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[4], f32, device>> -> !cameo.tensor<[4], f32, host>
  func.return
}

// -----

#here = affine_map<(d0) -> (d0)>

func.func @not_awaited(%x: !cameo.tensor<[4], f32, device>) attributes {prog.buffers = []} {
  // expected-error @+1 {{starts a copy that is not awaited once, in the same block}}
  %t = prog.fetch %x : !cameo.tensor<[4], f32, device> -> !prog.ticket<!cameo.tensor<[4], f32, device>>
  func.return
}

// -----

// The two rows of a carried value are the loop's while it runs.

#here = affine_map<(d0) -> (d0)>

func.func @writes_alternating(%x: !cameo.tensor<[4], f32, host>, %n: i64)
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 9, at 0>, #prog.buffer<host, 16, 0, 9, at 64>]} {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %l = prog.loop <"i"> to %n carry(%a : !cameo.tensor<[4], f32, host>) symbols [] = [] attributes {buffers = array<i64: 0, 1>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%c: !cameo.tensor<[4], f32, host>):
    // expected-error @+1 {{writes row 0, which alternates with another}}
    %b = prog.kernel [#cameo.extent<4>] ins(%c : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    %d = prog.kernel [#cameo.extent<4>] ins(%b : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %d : !cameo.tensor<[4], f32, host>
  }
  func.return
}

// -----

// A branch that may have been taken has overwritten it.

#here = affine_map<(d0) -> (d0)>

func.func @one_branch(%x: !cameo.tensor<[4], f32, host>, %c: i1)
    attributes {prog.buffers = [#prog.buffer<host, 16, 0, 9, at 0>, #prog.buffer<host, 16, 0, 9, at 64>]} {
  // expected-note @+1 {{this value}}
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  prog.if %c defines [] {
    %b = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[4], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield
  } else {
    prog.yield
  }
  // expected-error @+1 {{needs a value of row 0, which holds another by then}}
  %d = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return
}

// -----

#here = affine_map<(d0) -> (d0)>

// The places may be left out, the number of them may not.
func.func @unread_count(%x: !cameo.tensor<[0], i1, host>) -> !cameo.tensor<[0], i64, host>
    attributes {prog.buffers = [#prog.buffer<host, 0, 0, 1, output 0>]} {
  // expected-error @+1 {{writes result 1, which has no memory}}
  %0:2 = prog.call "nonzero" [] {shape = [#cameo.extent<0>], shape_rank = 1 : i64} ties [-1, -1] {buffers = array<i64: 0, -1>} : !cameo.tensor<[0], i64, host>, !cameo.tensor<[1], i64, host> {
    prog.load 1 values 0 ins(%x : !cameo.tensor<[0], i1, host>) maps [#here] symbols [] {
    ^bb0(%e: i1):
      prog.yield %e : i1
    }
  }
  func.return %0#0 : !cameo.tensor<[0], i64, host>
}
