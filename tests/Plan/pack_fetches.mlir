// RUN: cameo-opt %s --split-input-file --cameo-pack-fetches | FileCheck %s

// What starts before the first wait is one list, copied where the last of it would start; elements keep their order.
// CHECK-LABEL: func.func @scalar_and_matrix
// CHECK-SAME: %[[A:.*]]: !cameo.tensor<[], i64, device>, %[[B:.*]]: !cameo.tensor<[2, 2], i64, device>
// CHECK: %[[LIST:.*]] = prog.kernel [#cameo.extent<5>] ins(%[[A]], %[[B]], %[[B]], %[[B]], %[[B]] :
// CHECK: ^bb0(%[[FIRST:[^:]*]]: i64, %[[SECOND:[^:]*]]: i64,
// CHECK: prog.s_select %{{.*}}, %[[SECOND]], %[[FIRST]]
// CHECK: %[[TICKET:.*]] = prog.fetch %[[LIST]] : <[5], i64, device>
// CHECK-NEXT: %[[HOST:.*]] = prog.await %[[TICKET]]
// CHECK-NEXT: %[[HA:.*]] = prog.view %[[HOST]][#cameo.extent<0>] {{.*}} -> <[], i64, host>
// CHECK-NEXT: prog.element %[[HA]]
// CHECK-NEXT: %[[HB:.*]] = prog.view %[[HOST]][#cameo.extent<1>] {{.*}} -> <[2, 2], i64, host>
// CHECK-NEXT: prog.element %[[HB]][#cameo.extent<3>]
// CHECK-NOT: prog.await
// CHECK: return
module {
  func.func @scalar_and_matrix(%a: !cameo.tensor<[], i64, device>, %b: !cameo.tensor<[2, 2], i64, device>) {
    %s = prog.fetch %a : !cameo.tensor<[], i64, device> -> !prog.ticket<!cameo.tensor<[], i64, device>>
    %t = prog.fetch %b : !cameo.tensor<[2, 2], i64, device> -> !prog.ticket<!cameo.tensor<[2, 2], i64, device>>
    %ha = prog.await %s : !prog.ticket<!cameo.tensor<[], i64, device>> -> !cameo.tensor<[], i64, host>
    %x = prog.element %ha[#cameo.extent<0>] : !cameo.tensor<[], i64, host> -> i64
    %hb = prog.await %t : !prog.ticket<!cameo.tensor<[2, 2], i64, device>> -> !cameo.tensor<[2, 2], i64, host>
    %y = prog.element %hb[#cameo.extent<3>] : !cameo.tensor<[2, 2], i64, host> -> i64
    return
  }
}

// -----

// Other types, and what is not few elements, have copies of their own; so has what starts behind a wait.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: prog.kernel
// CHECK-COUNT-4: prog.await
module {
  func.func @apart(%a: !cameo.tensor<[1], i64, device>, %f: !cameo.tensor<[1], f32, device>, %m: !cameo.tensor<[20], i64, device>,
                   %l: !cameo.tensor<[1], i64, device>) {
    %0 = prog.fetch %a : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %1 = prog.fetch %f : !cameo.tensor<[1], f32, device> -> !prog.ticket<!cameo.tensor<[1], f32, device>>
    %2 = prog.fetch %m : !cameo.tensor<[20], i64, device> -> !prog.ticket<!cameo.tensor<[20], i64, device>>
    %h0 = prog.await %0 : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    %3 = prog.fetch %l : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %h1 = prog.await %1 : !prog.ticket<!cameo.tensor<[1], f32, device>> -> !cameo.tensor<[1], f32, host>
    %h2 = prog.await %2 : !prog.ticket<!cameo.tensor<[20], i64, device>> -> !cameo.tensor<[20], i64, host>
    %h3 = prog.await %3 : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    return
  }
}
