// RUN: cameo-opt %s --cameo-set-target | FileCheck %s --check-prefix=CPU
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=strict bounded numbers=fusion_ops=2" | cameo-opt | FileCheck %s --check-prefix=CUDA
// RUN: cameo-opt %s --cameo-set-target=precision=tf32 | cameo-opt | FileCheck %s --check-prefix=TF32
// RUN: not cameo-opt %s --cameo-set-target=precision=fp8 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not cameo-opt %s --cameo-set-target=name=fpga 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not cameo-opt %s --cameo-set-target=numbers=fused_ops=2 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not cameo-opt %s --cameo-set-target=numbers=fma 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not cameo-opt %s --cameo-fuse 2>&1 | FileCheck %s --check-prefix=NONE
//
// What a module is compiled for.

// CPU: module attributes {cameo.precision = #cameo.precision<fast>, cameo.target = #cameo.target<"cpu", host = <kernels "cpu", machines[<"x86_64",
// CPU-SAME: fusion_ops = 24 : i64
// CPU-SAME: prices
// CPU-SAME: fma = 10 : i64
// CPU-NOT: device

// A number that a test sets is the computing machine's alone.
// CUDA: module attributes {cameo.bounded, cameo.precision = #cameo.precision<strict>, cameo.target = #cameo.target<"cuda",
// CUDA-SAME: host = <kernels "cpu", {{.*}}fusion_ops = 24 : i64
// CUDA-SAME: device = <kernels "cuda", {{.*}}fusion_ops = 2 : i64
// CUDA-SAME: crossing = {{.*}}readback = 50000 : i64

// TF32: module attributes {cameo.precision = #cameo.precision<tf32>,
// WORD: no precision 'fp8'
// NAME: no target 'fpga'
// NUMBER: the machine has no 'fused_ops'
// TEXT: expected NAME=NUMBER, got 'fma'
// NONE: has no target, by which fusing is decided (cameo-set-target)

func.func @main() {
  return
}
