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

// Other types are one list of their bits as 64-bit integers.
// CHECK-LABEL: func.func @types
// CHECK: prog.kernel
// CHECK: ^bb0(%[[A:[^:]*]]: i64, %[[F:[^:]*]]: f32, %[[C:[^:]*]]: i1, %[[U:[^:]*]]: ui8):
// CHECK: prog.s_reinterpret %[[F]] : f32 -> i32
// CHECK: prog.s_cast %{{.*}} : i32 -> i64
// CHECK: prog.s_cast %[[C]] : i1 -> i64
// CHECK: prog.s_cast %[[U]] : ui8 -> i64
// CHECK: %[[HOST:.*]] = prog.await
// CHECK-NEXT: prog.view %[[HOST]][#cameo.extent<0>] {{.*}} -> <[1], i64, host>
// CHECK-NEXT: %[[WORD:.*]] = prog.element %[[HOST]][#cameo.extent<1>] : {{.*}} -> i64
// CHECK-NEXT: %[[BITS:.*]] = prog.s_cast %[[WORD]] : i64 -> i32
// CHECK-NEXT: %[[NUMBER:.*]] = prog.s_reinterpret %[[BITS]] : i32 -> f32
// CHECK-NEXT: prog.from_elements %[[NUMBER]] : f32 -> <[], f32, host>
// CHECK: prog.s_cast %{{.*}} : i64 -> i1
// CHECK: prog.s_cast %{{.*}} : i64 -> ui8
// CHECK-NOT: prog.await
// CHECK: return
module {
  func.func @types(%a: !cameo.tensor<[1], i64, device>, %f: !cameo.tensor<[], f32, device>, %c: !cameo.tensor<[], i1, device>,
                   %u: !cameo.tensor<[1], ui8, device>) {
    %0 = prog.fetch %a : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %1 = prog.fetch %f : !cameo.tensor<[], f32, device> -> !prog.ticket<!cameo.tensor<[], f32, device>>
    %2 = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %3 = prog.fetch %u : !cameo.tensor<[1], ui8, device> -> !prog.ticket<!cameo.tensor<[1], ui8, device>>
    %h0 = prog.await %0 : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    %h1 = prog.await %1 : !prog.ticket<!cameo.tensor<[], f32, device>> -> !cameo.tensor<[], f32, host>
    %h2 = prog.await %2 : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %h3 = prog.await %3 : !prog.ticket<!cameo.tensor<[1], ui8, device>> -> !cameo.tensor<[1], ui8, host>
    return
  }
}

// -----

// What is not few elements has a copy of its own; so has what starts behind a wait.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: prog.kernel
// CHECK-COUNT-3: prog.await
module {
  func.func @apart(%a: !cameo.tensor<[1], i64, device>, %m: !cameo.tensor<[20], i64, device>,
                   %l: !cameo.tensor<[1], i64, device>) {
    %0 = prog.fetch %a : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %2 = prog.fetch %m : !cameo.tensor<[20], i64, device> -> !prog.ticket<!cameo.tensor<[20], i64, device>>
    %h0 = prog.await %0 : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    %3 = prog.fetch %l : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %h2 = prog.await %2 : !prog.ticket<!cameo.tensor<[20], i64, device>> -> !cameo.tensor<[20], i64, host>
    %h3 = prog.await %3 : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    return
  }
}

// -----

// A copy of counts still says who reads which.
// CHECK-LABEL: func.func @counts
// CHECK: prog.fetch %{{.*}} {prog.count_readers = [unit, #loc{{.*}}]} : <[2], i64, device>
// CHECK-NOT: prog.fetch
// CHECK: return
module {
  func.func @counts(%a: !cameo.tensor<[1], i64, device>, %b: !cameo.tensor<[1], i64, device>) {
    %0 = prog.fetch %a : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %1 = prog.fetch %b {prog.count_reader = loc("TopK:top"(fused<["top"]>[unknown]))} : !cameo.tensor<[1], i64, device> -> !prog.ticket<!cameo.tensor<[1], i64, device>>
    %h0 = prog.await %0 : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    %h1 = prog.await %1 : !prog.ticket<!cameo.tensor<[1], i64, device>> -> !cameo.tensor<[1], i64, host>
    return
  }
}

// -----

// Conditions that choose share a list, of which each branch goes by its element.
// CHECK-LABEL: func.func @conditions
// CHECK: %[[LIST:.*]] = prog.kernel [#cameo.extent<3>]
// CHECK: %[[TICKET:.*]] = prog.fetch %[[LIST]] : <[3], i1, device>
// CHECK-NEXT: %[[HOST:.*]] = prog.await %[[TICKET]] chooses
// CHECK: prog.element %[[HOST]][#cameo.extent<0>] : <[3], i1, host> -> i1
// CHECK: prog.element %[[HOST]][#cameo.extent<2>] : <[3], i1, host> -> i1
// CHECK-NOT: prog.await
// CHECK: return
module {
  func.func @conditions(%a: !cameo.tensor<[], i1, device>, %b: !cameo.tensor<[2], i1, device>, %x: !cameo.tensor<[4], f32, device>) {
    %0 = prog.fetch %a : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %1 = prog.fetch %b : !cameo.tensor<[2], i1, device> -> !prog.ticket<!cameo.tensor<[2], i1, device>>
    %h0 = prog.await %0 chooses : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %c0 = prog.element %h0[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    %y = prog.if %c0 defines [] : !cameo.tensor<[4], f32, device> {
      prog.yield %x : !cameo.tensor<[4], f32, device> extents []
    } else {
      prog.yield %x : !cameo.tensor<[4], f32, device> extents []
    }
    %h1 = prog.await %1 chooses : !prog.ticket<!cameo.tensor<[2], i1, device>> -> !cameo.tensor<[2], i1, host>
    %c1 = prog.element %h1[#cameo.extent<1>] : !cameo.tensor<[2], i1, host> -> i1
    %z = prog.if %c1 defines [] : !cameo.tensor<[4], f32, device> {
      prog.yield %y : !cameo.tensor<[4], f32, device> extents []
    } else {
      prog.yield %x : !cameo.tensor<[4], f32, device> extents []
    }
    return
  }
}
