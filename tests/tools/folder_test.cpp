// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What writing a folder asks of the system: no sync, which would take longer than compiling. The
// program's own functions stand in for the system's and count.

#include "Pipeline/OutputFolder.h"

#include "llvm/Support/FileSystem.h"
#include <catch2/catch.hpp>

static int numSyncs = 0;

extern "C" int fsync(int) { return ++numSyncs, 0; }
extern "C" int fdatasync(int) { return ++numSyncs, 0; }
extern "C" int syncfs(int) noexcept { return ++numSyncs, 0; }
extern "C" void sync() noexcept { ++numSyncs; }

TEST_CASE("writing syncs nothing", "[folder]") {
  llvm::SmallString<128> folder;
  REQUIRE_FALSE(llvm::sys::fs::createUniqueDirectory("cameo-folder", folder));
  std::string path = folder.str().str();
  const cameo::EmittedFiles files = {{"net.plan.json", "{}"}, {"cameo/run.h", "// text\n"}};
  CHECK_FALSE(cameo::writeFolder(path + "/net", files));
  CHECK_FALSE(cameo::writeFolder(path + "/net", files)); // over what is there
  CHECK_FALSE(cameo::writeFile(path + "/report.json", "{}"));
  CHECK(llvm::sys::fs::exists(path + "/net/cameo/run.h"));
  CHECK(numSyncs == 0);
  llvm::sys::fs::remove_directories(folder);
}
