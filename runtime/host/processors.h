// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many threads are worth having: the processors of this process, and what its quota leaves of
// them.
#pragma once

#include "cameo/config.h"

#include <stdint.h>

#if CAMEO_THREADS

namespace cameo::cpu {

/// Processors this process may use at once, at least 1: those of its affinity mask, and no more
/// than the quota of its control groups comes to. Rounded down: a thread that the quota stops is
/// one that all others of a team wait for.
int32_t available_processors();

/// The CPU quota of a process's control groups, in thousandths of a processor; -1 where none of
/// them has one. `membership` is the process's /proc/self/cgroup, `mount` where control groups are
/// mounted (/sys/fs/cgroup).
/// Version 2 counts `cpu.max` of each group from the process's own up, version 1 `cpu.cfs_quota_us`
/// of the controller `cpu`. A path that is not below `mount`, as in a container that sees its own
/// group as the root, is `mount` itself.
int64_t quota_millis(const char *membership, const char *mount);

} // namespace cameo::cpu

#endif // CAMEO_THREADS
