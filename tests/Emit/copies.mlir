// RUN: cameo-emit-test %s --name bytes --file CMakeLists.txt | FileCheck %s --check-prefix=CMAKE
// RUN: cameo-emit-test %s --name bytes --file README.md | FileCheck %s --check-prefix=README
// RUN: cameo-emit-test %s --name bytes --file bytes.cpp | FileCheck %s --check-prefix=HOST
// RUN: cameo-emit-test %s --name bytes --file CMakeLists.txt --no-heap | FileCheck %s --check-prefix=ONE
// RUN: cameo-emit-test %S/mlp.mlir --name mlp --file CMakeLists.txt | FileCheck %s --check-prefix=PLAIN
// RUN: cameo-emit-test %S/mlp.mlir --name mlp --file README.md | FileCheck %s --check-prefix=PLAIN-README
// RUN: cameo-emit-test %S/mlp.mlir --name mlp --file mlp.cpp | FileCheck %s --check-prefix=PLAIN-HOST

// A program that calls a template which is faster by an extension has a copy for it; others have what they had.

// CMAKE: one more copy is built with that: x86-64-v4-avx512vnni.
// CMAKE: set(copies x86_64_v4_avx512vnni x86_64_v4 x86_64_v3)
// CMAKE: string(REPLACE "_" "-" march ${copy})
// CMAKE: string(REGEX REPLACE "^(x86-64-v[0-9])-" "\\1;-m" march ${march})
// CMAKE-NOT: mtune
// CMAKE: target_compile_options(bytes_${copy} PRIVATE -march=${march})

// README: one more copy is built with that: `x86-64-v4-avx512vnni`.

// HOST: namespace x86_64_v4_avx512vnni {
// HOST-NEXT: cpu::model_copy get_copy();
// HOST: namespace x86_64_v4 {
// HOST: namespace x86_64_v3 {
// HOST: cpu::model_copy choose_copy() {
// HOST: if (cpu::machine_isa(cameo::cpu::isa::x86_64_v4_avx512vnni) == cpu::isa::x86_64_v4_avx512vnni)
// HOST-NEXT: return x86_64_v4_avx512vnni::get_copy();
// HOST-NEXT: if (cpu::machine_isa(cameo::cpu::isa::x86_64_v4_avx512vnni) == cpu::isa::x86_64_v4)
// HOST: CAMEO_TRY(cameo::cpu::check_isa(options, cameo::cpu::isa::x86_64_v4_avx512vnni));

// ONE-NOT: copies

// PLAIN-NOT: avx512vnni
// PLAIN: set(copies x86_64_v4 x86_64_v3)
// PLAIN: string(REPLACE "_" "-" march ${copy})
// PLAIN-NOT: mtune
// PLAIN: target_compile_options(mlp_${copy} PRIVATE -march=${march})
// PLAIN-NOT: avx512vnni

// PLAIN-README-NOT: avx512vnni

// PLAIN-HOST-NOT: avx512vnni
// PLAIN-HOST: if (cpu::machine_isa() == cpu::isa::x86_64_v4)
// PLAIN-HOST-NEXT: return x86_64_v4::get_copy();
// PLAIN-HOST-NEXT: if (cpu::machine_isa() == cpu::isa::x86_64_v3)
// PLAIN-HOST: CAMEO_TRY(cameo::cpu::check_isa(options));

module attributes {prog.weights_bytes = 256 : i64} {
  func.func @main(%arg0: !cameo.tensor<[1, 16, 4, 4], ui8, host> {onnx.name = "x"}) -> (!cameo.tensor<[1, 16, 4, 4], i32, host> {onnx.name = "y"})
      attributes {cameo.symbols = [], prog.buffers = [#prog.buffer<host, 1024, 3, 4, output 0>, #prog.buffer<host, 256, 0, 2, at 1024>, #prog.buffer<host, 1024, 2, 3, at 0>]} {
    %0 = prog.call "pack_channels" [] {batch = #cameo.extent<1>, channels = #cameo.extent<16>, cols = #cameo.extent<4>, halo = [#cameo.extent<0>, #cameo.extent<0>], lanes = 16 : i64, rows = #cameo.extent<4>}
        ins(%arg0 : !cameo.tensor<[1, 16, 4, 4], ui8, host>)
        ties [-1]
        {buffers = array<i64: 1>} : !cameo.tensor<[1, 16, 4, 4], ui8, host, #cameo.blocked<[1] by [16]>> {
    }
    %1 = prog.weight dense<2> : tensor<16x16x1x1xi8> through [#cameo.blocked<[0, 1] by [16, 4]>]
        {buffers = array<i64: -1>, offset = 0 : i64} : <[16, 16, 1, 1], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>
    %2 = prog.call "conv_blocked_bytes" [] {batch = #cameo.extent<1>, cols = #cameo.extent<4>, dilation = [#cameo.extent<1>, #cameo.extent<1>], groups = 1 : i64, in_channels = #cameo.extent<16>, kernel = [#cameo.extent<1>, #cameo.extent<1>], lanes = 16 : i64, left = #cameo.extent<0>, out_channels = #cameo.extent<16>, output = [#cameo.extent<4>, #cameo.extent<4>], rows = #cameo.extent<4>, stride = [#cameo.extent<1>, #cameo.extent<1>], top = #cameo.extent<0>}
        ins(%0, %1 : !cameo.tensor<[1, 16, 4, 4], ui8, host, #cameo.blocked<[1] by [16]>>, !cameo.tensor<[16, 16, 1, 1], i8, host, #cameo.blocked<[0, 1] by [16, 4]>>)
        ties [-1]
        {buffers = array<i64: 2>} : !cameo.tensor<[1, 16, 4, 4], i32, host, #cameo.blocked<[1] by [16]>> {
      prog.store 5 values 1 maps [] -> [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>] symbols [] targets [0] {
      ^bb0(%arg1: i32):
        prog.yield %arg1 : i32
      }
    }
    %3 = prog.call "unpack_channels" [] {batch = #cameo.extent<1>, channels = #cameo.extent<16>, cols = #cameo.extent<4>, halo = [#cameo.extent<0>, #cameo.extent<0>], lanes = 16 : i64, rows = #cameo.extent<4>}
        ins(%2 : !cameo.tensor<[1, 16, 4, 4], i32, host, #cameo.blocked<[1] by [16]>>)
        ties [-1]
        {buffers = array<i64: 0>} : !cameo.tensor<[1, 16, 4, 4], i32, host> {
    }
    return %3 : !cameo.tensor<[1, 16, 4, 4], i32, host>
  }
}
