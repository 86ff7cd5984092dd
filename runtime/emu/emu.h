/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How a test or `cameo verify` talks to the CUDA emulator: in which order things run, what
 * uninitialised memory holds, which call fails, what was counted. Plain C. Every setting can also
 * be given in the environment (names below), read once at first use. Not thread safe; set it while
 * nothing is queued.
 */
#ifndef CAMEO_EMU_H
#define CAMEO_EMU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cameo_emu_order {
  CAMEO_EMU_FORWARD = 0, /* threads and blocks ascending; operations as they were issued */
  CAMEO_EMU_REVERSE = 1, /* descending; the newest operation that may run */
  CAMEO_EMU_RANDOM = 2   /* shuffled by the seed */
} cameo_emu_order;

/* The order of threads in a block and of blocks in a grid.
 * CAMEO_EMU_THREADS=forward|reverse|random[:SEED] */
void cameo_emu_thread_order(cameo_emu_order order, uint64_t seed);
/* The order in which queued operations run when a sync asks for them.
 * CAMEO_EMU_SCHEDULE=forward|reverse|random[:SEED] */
void cameo_emu_schedule(cameo_emu_order order, uint64_t seed);
/* What fresh device memory and each block's shared memory hold; 255 at first.
 * CAMEO_EMU_POISON=0..255 */
void cameo_emu_poison(uint8_t byte);
/*
 * A missing barrier or a read of memory that nobody wrote shows as outputs that differ between
 * settings: number 0..3 selects one of the four combinations of two thread orders and two poison
 * bytes. CAMEO_EMU_VARIANT=0..3
 */
void cameo_emu_variant(int number);

/*
 * Lets the call-th call (from 1, counted from now) of an API function return `error`, a
 * cudaError_t, and with `forever` all later ones too. "cudaLaunchKernel" is a launch; "kernel" the
 * execution of one: its error comes out at the next sync and every call after it, as an illegal
 * address would. CAMEO_EMU_FAIL=NAME:CALL:ERROR[:forever][,...]
 */
void cameo_emu_fail(const char *name, int64_t call, int error, int forever);
/* How often the function was called since the program began; -1 for a name that no call has used.
 */
int64_t cameo_emu_calls(const char *name);
/* Forgets all planned failures, and a lost device. */
void cameo_emu_clear_failures(void);

/* CAMEO_EMU_DEVICES=N (1; 0: none, -1: no driver either); CAMEO_EMU_MEMORY=BYTES per device (16
 * GiB); compute capability CAMEO_EMU_ARCH=90 */
void cameo_emu_devices(int count, size_t bytes_each, int compute_capability);
/* Whether graphs may have conditional nodes, which drivers before CUDA 12.4 do not know.
 * CAMEO_EMU_CONDITIONAL_NODES=1 */
void cameo_emu_conditional_nodes(int has);

typedef struct cameo_emu_counters {
  int64_t h2d, h2d_bytes;
  int64_t d2h, d2h_bytes;
  int64_t d2h_outputs, d2h_output_bytes; /* into memory of cameo_emu_add_output; not in d2h */
  int64_t d2d, d2d_bytes;
  int64_t memsets;
  int64_t launches;
  int64_t graph_launches; /* what their nodes do is counted like what a stream does, each time */
  /* every way in which the host waits; blocking_syncs is their sum */
  int64_t blocking_syncs;
  int64_t stream_syncs, event_syncs, device_syncs;
  int64_t blocking_copies; /* cudaMemcpy, and asynchronous copies into pageable memory */
  /* cudaFree, cudaFreeHost, and allocations but for cudaMallocAsync: CUDA may order them with all
   * work of the device; not in blocking_syncs */
  int64_t implicit_syncs;
  int64_t unfinished_queries; /* polls that said "not ready"; not in blocking_syncs */
  int64_t device_allocs, device_frees, pinned_allocs, pinned_frees;
  int64_t live_device_bytes, live_device_allocs, live_pinned_allocs, live_streams, live_events;
  int64_t pending; /* operations queued and not run */
} cameo_emu_counters;

/* Since the program began or the last reset; live_* and pending are of now. */
void cameo_emu_get_counters(cameo_emu_counters *counters);
void cameo_emu_reset_counters(void);

/* From now on each operation that is queued is remembered (1), or what was is forgotten (0). */
void cameo_emu_record(int on);
/*
 * How many remembered operations with `one` in their names ("copy host to device", a kernel's name)
 * may run beside at least one with `other` in its name: no stream, event or wait of the host orders
 * the two.
 */
int64_t cameo_emu_beside(const char *one, const char *other);

/* Copies from the device into this host memory are fetches of an output, counted apart. */
void cameo_emu_add_output(const void *memory, size_t bytes);
/* Forgets the memory of all outputs. */
void cameo_emu_clear_outputs(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* CAMEO_EMU_H */
