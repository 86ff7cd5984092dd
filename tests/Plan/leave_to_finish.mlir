// RUN: cameo-opt %s --split-input-file --cameo-leave-to-finish | FileCheck %s

// Behind the second wait is work of the host alone; behind the first a kernel of the device.
// CHECK-LABEL: func.func @main
// CHECK: prog.await %{{.*}} : {{.*}} -> <[4], i64, host>
// CHECK-NOT: cameo.finished
// CHECK: prog.await %{{.*}} {cameo.finished}
// CHECK: prog.await %{{.*}} {cameo.finished}
#id = affine_map<(d0) -> (d0)>
module {
  func.func @main(%a: !cameo.tensor<[4], i64, device>, %b: !cameo.tensor<[4], i64, device>, %c: !cameo.tensor<[4], i64, device>) -> !cameo.tensor<[4], i64, host> {
    %s = prog.fetch %a : !cameo.tensor<[4], i64, device> -> !prog.ticket<!cameo.tensor<[4], i64, device>>
    %x = prog.await %s : !prog.ticket<!cameo.tensor<[4], i64, device>> -> !cameo.tensor<[4], i64, host>
    %t = prog.fetch %b : !cameo.tensor<[4], i64, device> -> !prog.ticket<!cameo.tensor<[4], i64, device>>
    %u = prog.fetch %c : !cameo.tensor<[4], i64, device> -> !prog.ticket<!cameo.tensor<[4], i64, device>>
    %y = prog.await %t : !prog.ticket<!cameo.tensor<[4], i64, device>> -> !cameo.tensor<[4], i64, host>
    %z = prog.await %u : !prog.ticket<!cameo.tensor<[4], i64, device>> -> !cameo.tensor<[4], i64, host>
    %r = prog.kernel [#cameo.extent<4>] ins(%y, %z : !cameo.tensor<[4], i64, host>, !cameo.tensor<[4], i64, host>) maps [#id, #id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[4], i64, host> {
    ^bb0(%e: i64, %f: i64):
      %g = prog.s_add %e, %f : i64
      prog.yield %g : i64
    }
    return %r : !cameo.tensor<[4], i64, host>
  }
}

// -----

// What defines a symbol sizes memory, and is the run's.
// CHECK-LABEL: func.func @main
// CHECK-NOT: cameo.finished
module {
  func.func @main(%a: !cameo.tensor<[1], i64, device>) {
    %s = prog.fetch %a : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %x = prog.await %s : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    %n = prog.element %x[#cameo.extent<0>] : !cameo.tensor<[1], i64, host> -> i64
    prog.bind <"n"> = %n
    return
  }
}
