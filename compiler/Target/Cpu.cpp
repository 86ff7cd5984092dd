// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's processor: one memory, vectors as wide as the machine has them, threads of the caller.

#include "Target/Targets.h"

using namespace cameo;
using llvm::StringLiteral;

static constexpr TargetCopy kCopies[] = {
    {"x86_64_v4_avx512vnni", "avx512vnni"}, {"x86_64_v4", ""}, {"x86_64_v3", ""}};
static constexpr StringLiteral kRuntimeFolders[] = {"host"};

static constexpr MachineRecord kMachines[] = {machines::x86_64};

constexpr KernelSet cameo::kCpuKernels = {"cpu", ".cpp", /*sizesScratch=*/true,
                                          /*takesWideFunctors=*/false};

constexpr Target cameo::kCpuTarget = {
    /*name=*/"cpu",
    /*host=*/{&kCpuKernels, kMachines, "c.compute", "", "", "CAMEO_SPACE_HOST", "cameo"},
    /*device=*/std::nullopt,
    /*crossing=*/{},
    kCopies,
    /*hasStreams=*/false,
    /*hasSwitches=*/true,
    kRuntimeFolders};

constexpr Platform cameo::kCpuPlatform = {
    /*name=*/"cpu",
    &kCpuTarget,
    /*isEmulator=*/false,
    kRuntimeFolders,
    /*deviceCompiler=*/std::nullopt,
    /*deviceFlags=*/{},
    /*includes=*/{},
    /*definitions=*/{},
    /*countsCalls=*/false,
    /*canTrace=*/false};
