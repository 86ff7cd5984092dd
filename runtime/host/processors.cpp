// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No <fstream>, no stdio: files of a line, read by the system's own calls into memory on the stack.
#include "processors.h"

#if CAMEO_THREADS

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace cameo::cpu {

#if defined(__linux__) && !CAMEO_HEAP_NONE
namespace {

/// The start of a file as text; empty where it cannot be read.
template <size_t N> bool read_text(const char *path, char (&text)[N]) {
  text[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const ssize_t length = read(file, text, N - 1);
  (void)close(file);
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/// `quota` of every `period` microseconds; -1 for "max", for -1 and for what is no number.
int64_t millis_of(const char *quota, const char *period) {
  const int64_t us = strtoll(quota, nullptr, 10), of = strtoll(period, nullptr, 10);
  return us > 0 && of > 0
             ? static_cast<int64_t>(1000.0 * static_cast<double>(us) / static_cast<double>(of))
             : -1;
}

struct control_group {
  char path[1024]; ///< mount, hierarchy and group, without a slash at its end
  size_t mount;    ///< how much of it is not the group's

  bool read_file(const char *name, char (&text)[64]) const {
    char file[sizeof path + 32];
    const int length = snprintf(file, sizeof file, "%s/%s", path, name);
    return length > 0 && static_cast<size_t>(length) < sizeof file && read_text(file, text);
  }
  int64_t millis() const {
    char quota[64], period[64];
    if (read_file("cpu.max", quota)) {
      const char *space = strchr(quota, ' ');
      return space ? millis_of(quota, space + 1) : -1;
    }
    if (read_file("cpu.cfs_quota_us", quota) && read_file("cpu.cfs_period_us", period))
      return millis_of(quota, period);
    return -1;
  }
  /// The group that this one is in; false at the root.
  bool ascend() {
    if (strlen(path) <= mount)
      return false;
    *strrchr(path, '/') = '\0';
    return true;
  }
};

/// One line of /proc/self/cgroup, `number:controllers:path`, is about the processor if it has that
/// controller, or none: version 2 has one hierarchy for all.
bool governs_processors(const char *line, const char *colon) {
  for (const char *word = line; word < colon;) {
    const char *end = word;
    while (end < colon && *end != ',')
      ++end;
    if (end - word == 3 && memcmp(word, "cpu", 3) == 0)
      return true;
    word = end + 1;
  }
  return line == colon;
}

/// The least of a group's quota and of those above it.
int64_t least_quota(control_group group) {
  int64_t least = -1;
  do {
    const int64_t own = group.millis();
    if (own >= 0 && (least < 0 || own < least))
      least = own;
  } while (group.ascend());
  return least;
}

/// The quota that one line of `membership` leads to.
int64_t quota_of_line(char *line, const char *mount) {
  char *const controllers = strchr(line, ':');
  char *const path = controllers ? strchr(controllers + 1, ':') : nullptr;
  if (!path || !governs_processors(controllers + 1, path))
    return -1;
  *path = '\0';
  const char *group_path = path + 1;
  if (strcmp(group_path, "/") == 0)
    group_path = "";
  control_group group;
  const char *slash = controllers[1] ? "/" : "";
  const int hierarchy =
      snprintf(group.path, sizeof group.path, "%s%s%s", mount, slash, controllers + 1);
  if (hierarchy <= 0 || static_cast<size_t>(hierarchy) >= sizeof group.path)
    return -1;
  group.mount = static_cast<size_t>(hierarchy);
  const size_t left = sizeof group.path - group.mount;
  const int length = snprintf(group.path + group.mount, left, "%s", group_path);
  if (length < 0 || static_cast<size_t>(length) >= left)
    group.path[group.mount] = '\0';
  return least_quota(group);
}

} // namespace

int64_t quota_millis(const char *membership, const char *mount) {
  char text[4096];
  if (!read_text(membership, text))
    return -1;
  int64_t least = -1;
  char *rest = nullptr;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(nullptr, "\n", &rest)) {
    const int64_t quota = quota_of_line(line, mount);
    if (quota >= 0 && (least < 0 || quota < least))
      least = quota;
  }
  return least;
}
#else
int64_t quota_millis(const char *, const char *) { return -1; }
#endif

namespace {

int32_t schedulable_processors() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
#endif
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<int32_t>(n) : 1;
}

} // namespace

int32_t available_processors() {
  const int32_t processors = schedulable_processors();
  const int64_t quota = quota_millis("/proc/self/cgroup", "/sys/fs/cgroup");
  if (quota < 0 || quota / 1000 >= processors)
    return processors;
  return quota < 2000 ? 1 : static_cast<int32_t>(quota / 1000);
}

} // namespace cameo::cpu

#endif // CAMEO_THREADS
