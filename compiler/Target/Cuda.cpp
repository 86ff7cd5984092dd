// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPUs under CUDA, and the emulator that runs the same sources on the host's processor.

#include "Target/Targets.h"

using namespace cameo;
using llvm::StringLiteral;

static constexpr StringLiteral kRuntimeFolders[] = {"host", "cuda"};
static constexpr StringLiteral kAllFolders[] = {"host", "cuda", "emu"};
static constexpr StringLiteral kNvccFlags[] = {"-fmad=false",
                                               "-Xcompiler=-fno-exceptions,-fno-rtti"};
static constexpr StringLiteral kNvccQuery[] = {"-arch=native", "--dryrun", "-E",
                                               "-x",           "cu",       "/dev/null"};
static constexpr StringLiteral kEmulatorFlags[] = {"-x", "c++"};
static constexpr StringLiteral kEmulatorIncludes[] = {"cameo/emu/include", "cameo/emu"};
static constexpr StringLiteral kDefinitions[] = {"-DCAMEO_DRIVER_DEVICE_MEMORY=1",
                                                 "-DCAMEO_DRIVER_CALLS=1"};

static constexpr MachineRecord kHosts[] = {machines::x86_64}, kMachines[] = {machines::gpu};

constexpr KernelSet cameo::kCudaKernels = {"cuda", ".cu", /*sizesScratch=*/false,
                                           /*takesWideFunctors=*/true};

constexpr Target cameo::kCudaTarget = {
    /*name=*/"cuda",
    /*host=*/{&kCpuKernels, kHosts, "c.host", "host_", "_host", "CAMEO_SPACE_HOST", "cameo"},
    /*device=*/
    TargetSide{&kCudaKernels, kMachines, "c.compute", "", "", "CAMEO_SPACE_DEVICE", "cuda"},
    machines::pcie_costs,
    /*copies=*/{},
    /*hasStreams=*/true,
    /*hasSwitches=*/false,
    // With the emulator, which a generated folder can be built for anywhere.
    kAllFolders};

constexpr Platform cameo::kCudaPlatform = {
    /*name=*/"cuda",
    &kCudaTarget,
    /*isEmulator=*/false,
    kRuntimeFolders,
    DeviceCompiler{"NVCC", "nvcc", "/usr/local/cuda/bin/nvcc", "CUDA",
                   "--target cuda-emu needs none", kNvccFlags, "-Xcompiler=", "-Xlinker=",
                   "-arch=native", "-arch=sm_80", kNvccQuery, "Cannot find valid GPU",
                   // codegen_templates/cuda/device_nvcc.h asserts it.
                   "failed with \"this kernel needs sm_80"},
    /*deviceFlags=*/{},
    /*includes=*/{},
    kDefinitions,
    /*countsCalls=*/true,
    /*canTrace=*/false};

constexpr Platform cameo::kCudaEmulatorPlatform = {
    /*name=*/"cuda-emu",
    &kCudaTarget,
    /*isEmulator=*/true,
    kAllFolders,
    /*deviceCompiler=*/std::nullopt,
    kEmulatorFlags,
    kEmulatorIncludes,
    kDefinitions,
    /*countsCalls=*/true,
    /*canTrace=*/true};
