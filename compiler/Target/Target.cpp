// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Target/Target.h"

#include "Target/Targets.h"
#include "llvm/ADT/STLExtras.h"

using namespace cameo;

static constexpr const Platform *kPlatforms[] = {&kCpuPlatform, &kCudaPlatform,
                                                 &kCudaEmulatorPlatform};

llvm::ArrayRef<const Platform *> cameo::getPlatforms() { return kPlatforms; }

const Platform *cameo::findPlatform(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(kPlatforms, [&](const Platform *platform) { return platform->name == name; });
  return found == std::end(kPlatforms) ? nullptr : *found;
}

const Target &cameo::getDefaultTarget() { return *kPlatforms[0]->target; }
