// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CPU quotas of control groups come to, by trees of files as the kernel shows them.
#include "processors.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>

using namespace cameo;
namespace fs = std::filesystem;

namespace {

/// Control groups in a folder of their own.
class groups {
public:
  groups() {
    std::string pattern = fs::temp_directory_path() / "cameo_groups_XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    root_ = pattern;
  }
  ~groups() { fs::remove_all(root_); }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  int64_t quota(const std::string &membership) {
    write("membership", membership);
    return cpu::quota_millis((root_ / "membership").c_str(), (root_ / "mount").c_str());
  }

private:
  fs::path root_;
};

} // namespace

TEST_CASE("no quota", "[processors]") {
  groups g;
  CHECK(cpu::quota_millis("/nonexistent/cgroup", "/nonexistent") == -1);
  CHECK(g.quota("0::/\n") == -1);
  CHECK(g.quota("") == -1);
  CHECK(g.quota("no line of that file") == -1);
  g.write("mount/a/cpu.max", "max 100000\n");
  CHECK(g.quota("0::/a\n") == -1);
  g.write("mount/a/cpu.max", "");
  CHECK(g.quota("0::/a\n") == -1);
  g.write("mount/a/cpu.max", "100000\n");
  CHECK(g.quota("0::/a\n") == -1);
  g.write("mount/cpu/a/cpu.cfs_quota_us", "-1\n");
  g.write("mount/cpu/a/cpu.cfs_period_us", "100000\n");
  CHECK(g.quota("3:cpu:/a\n") == -1);
}

TEST_CASE("the least quota of a group and those above it", "[processors]") {
  groups g;
  g.write("mount/cpu.max", "800000 100000\n");
  g.write("mount/a/cpu.max", "150000 100000\n");
  g.write("mount/a/b/cpu.max", "max 100000\n");
  CHECK(g.quota("0::/\n") == 8000);
  CHECK(g.quota("0::/a\n") == 1500);
  CHECK(g.quota("0::/a/b\n") == 1500);
  g.write("mount/a/b/cpu.max", "25000 50000\n");
  CHECK(g.quota("0::/a/b\n") == 500);
}

TEST_CASE("a container's own group is the root that it sees", "[processors]") {
  groups g;
  g.write("mount/cpu.max", "200000 100000\n");
  CHECK(g.quota("0::/docker/0123456789abcdef\n") == 2000);
  CHECK(g.quota("0::/" + std::string(3000, 'x') + "\n") == 2000);
}

TEST_CASE("hierarchies of version 1", "[processors]") {
  groups g;
  g.write("mount/cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n");
  g.write("mount/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  g.write("mount/cpuset/a/cpu.cfs_quota_us", "100000\n");
  g.write("mount/cpuset/a/cpu.cfs_period_us", "100000\n");
  CHECK(g.quota("5:memory:/a\n4:cpu,cpuacct:/a/b\n3:cpuset:/a\n0::/\n") == 3000);
}

TEST_CASE("a team has no more threads than the affinity mask", "[processors]") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(cpu::available_processors() >= 1);
  CHECK(cpu::available_processors() <= CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(cpu::available_processors() == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}
