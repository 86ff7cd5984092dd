// RUN: cameo-opt %s --cameo-verify-symbols --split-input-file --verify-diagnostics
//
// Extents stand where their symbols have a value: behind a definition, or inside the region of one.

func.func @in_order(%x: !cameo.tensor<[N], f32, host>, %n: i64, %c: i1) -> !cameo.tensor<[d + 1], f32, host>
    attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  prog.bind <"k" in [0, 9]> = %n checked
  prog.define <"d"> = #cameo.extent<k * N>
  %0 = prog.loop <"i"> to %n carry(%x : !cameo.tensor<[N], f32, host>)
      symbols [#cameo.symbol<"m">] = [#cameo.extent<d>] : !cameo.tensor<[m], f32, host> {
  ^bb0(%y: !cameo.tensor<[m], f32, host>):
    %1 = prog.empty : <[m + i], f32, host>
    prog.yield %1 : !cameo.tensor<[m + i], f32, host> extents [#cameo.extent<m + i>]
  }
  %2 = prog.view %0[#cameo.extent<m>] : <[m], f32, host> -> <[d + 1], f32, host>
  func.return %2 : !cameo.tensor<[d + 1], f32, host>
}

// -----

func.func @before_its_definition(%n: i64) {
  // expected-error @+1 {{names symbol 'k', which has no value here}}
  %0 = prog.empty : <[k], f32, host>
  prog.bind <"k"> = %n
  func.return
}

// -----

func.func @behind_the_region(%n: i64) {
  prog.loop <"i"> to %n symbols [] = [] {
    prog.bind <"k"> = %n
  }
  // expected-error @+1 {{names symbol 'k', which has no value here}}
  prog.define <"l"> = #cameo.extent<k + 1>
  func.return
}

// -----

// The number of an iteration is that of no iteration afterwards.
func.func @behind_the_loop(%n: i64) {
  prog.loop <"i"> to %n symbols [] = [] {
    prog.yield
  }
  // expected-error @+1 {{names symbol 'i', which has no value here}}
  prog.define <"l"> = #cameo.extent<i + 1>
  func.return
}

// -----

func.func @of_the_other_branch(%c: i1, %n: i64) {
  prog.if %c defines [] {
    prog.bind <"k"> = %n
  } else {
    // expected-error @+1 {{names symbol 'k', which has no value here}}
    prog.define <"l"> = #cameo.extent<k + 1>
  }
  func.return
}

// -----

func.func @twice(%c: i1, %n: i64) {
  prog.if %c defines [] {
    prog.bind <"k"> = %n
  } else {
    // expected-error @+1 {{defines symbol 'k', which another op defines too}}
    prog.bind <"k"> = %n
  }
  func.return
}

// -----

// What a definition says of its symbol is held against the others.
func.func @a_bound_of_nothing(%n: i64) {
  // expected-error @+1 {{names symbol 'N', which has no value here}}
  prog.bind <"k" bound N> = %n
  func.return
}
