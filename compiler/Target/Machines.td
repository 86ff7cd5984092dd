// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number of a machine that a decision of the compiler goes by. A machine that lacks one fails
// the build.

#ifndef CAMEO_TARGET_MACHINES_TD
#define CAMEO_TARGET_MACHINES_TD

include "resource.td"

/// A property of a machine.
class Fact<list<KernelSet> of> : Number<of>;
/// The most scalar ops of elementwise kernels that become one: a processor waits for each op of a
/// chain that is longer than it looks ahead, a device has other threads meanwhile.
def FusionOps : Fact<[Cpu, Cuda]>;
/// The most that a body may spend at each of its points on elements that a kernel of their own would have
/// computed less often, in units of ScalarOpInterface::getCost: about as much as writing an element
/// and reading it back.
def Recompute : Fact<[Cpu, Cuda]>;
/// The cost of a read, in these units, that wastes the rest of a cache line.
def StridedRead : Fact<[Cpu, Cuda]>;
/// Bytes of a cache that is one core's.
def CoreCache : Fact<[Cpu]>;
/// Convolutions of at most so many input channels read them plane by plane.
def MaxPlanes : Fact<[Cpu]>;

/// The time that it takes to get from the host to a device and back, in nanoseconds, and what is weighed
/// against it.
class CrossingCost;
/// A small copy to the host, the wait for it, and the device running dry meanwhile.
def Readback : CrossingCost;
/// A small copy to the device, queued behind no wait.
def Upload : CrossingCost;
/// An input on the host: half a readback, since the caller may have it on the device.
def Input : CrossingCost;
def Launch : CrossingCost;
/// An extent that stays on the device: the kernel that clamps it, its part of the copy behind the
/// run, and memory and grids for the most that it can be. More than an input on the host, where an
/// integer of the caller's usually is, and less than a readback.
def Count : CrossingCost;
/// Computing both branches of an If to choose on the device, and each operator in them, which will be
/// part of few kernels. More than an input on the host, where a flag of the caller's usually is,
/// and, for a dozen operators, less than a readback.
def Select : CrossingCost;
def SelectedOperator : CrossingCost;
/// An operator on the host, and each of its elements.
def HostOperator : CrossingCost;
def HostElement : CrossingCost;
/// No cost: bytes that are copied in a nanosecond.
def BytesPerNanosecond : CrossingCost;

class FactIs<Fact what, int is> { Fact number = what; int value = is; }
class Price<Resource what, int is> { Resource number = what; int value = is; }
class CrossingIs<CrossingCost what, int is> { CrossingCost number = what; int value = is; }

class Machine<KernelSet runs> {
  KernelSet kernels = runs;
  list<FactIs> facts = [];
  list<Price> prices = [];
}
/// Between a host and a device.
class Crossing { list<CrossingIs> costs = []; }

/// Tiles' are fitted to six networks on a Zen 4 (bench/results/choices.md): with any one a tenth off
/// as many convolutions have the best variant. compiler/Select/README.md says where the others are from.
def x86_64 : Machine<Cpu> {
  let facts = [FactIs<FusionOps, 24>, FactIs<Recompute, 4>, FactIs<StridedRead, 8>,
               FactIs<CoreCache, 1048576>, FactIs<MaxPlanes, 4>];
  let prices = [Price<Fma, 10>, Price<DenseFma, 16>, Price<VolumeFma, 36>,
                Price<TransposedFma, 22>, Price<TileFma, 12>, Price<TapRow, 50>,
                Price<Transformed, 100>, Price<ReadWeight, 90>, Price<MadeNear, 380>,
                Price<MadeFar, 510>, Price<PlaneNear, 250>, Price<PlaneFar, 1800>, Price<Phase, 250>, Price<Repacked, 120>, Price<Copied, 80>,
                Price<Lane, 40>, Price<Call, 150000>];
}

def gpu : Machine<Cuda> {
  let facts = [FactIs<FusionOps, 64>, FactIs<Recompute, 4>, FactIs<StridedRead, 8>];
}

/// PCIe 4.0 x16 moves about 25 GB/s. Estimates for a GPU behind it, not measurements: what matters
/// is that a readback outweighs a dozen kernels, and a kernel any host arithmetic on a few elements.
def pcie : Crossing {
  let costs = [CrossingIs<Readback, 50000>, CrossingIs<Upload, 8000>, CrossingIs<Input, 25000>,
               CrossingIs<Launch, 3000>, CrossingIs<Count, 30000>, CrossingIs<Select, 30000>,
               CrossingIs<SelectedOperator, 1000>, CrossingIs<HostOperator, 100>,
               CrossingIs<HostElement, 5>, CrossingIs<BytesPerNanosecond, 25>];
}

#endif // CAMEO_TARGET_MACHINES_TD
