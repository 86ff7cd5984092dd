// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of Catch2 on a real device, if there is one; those that it cannot run only when asked for.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdio>

#include <cuda_runtime_api.h>

int main(int argc, char **argv) {
  int devices = 0, major = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    printf("SKIP: no device (%s)\n", cudaGetErrorString(error));
    return 77;
  }
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  Catch::Session session;
  const int wrong = session.applyCommandLine(argc, argv);
  if (wrong != 0)
    return wrong;
  if (major < 9 && session.configData().testsOrTags.empty())
    session.configData().testsOrTags.emplace_back("~[sm90]");
  return session.run();
}
