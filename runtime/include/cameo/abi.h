/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The binary interface between a generated model, the runtime, and the program that calls both.
 * Plain C11, no includes but stddef, stdint and the element types, nothing target dependent: the
 * CPU and the CUDA runtime, the compiler's emitter and the caller all see these structs. A
 * generated model is one `cameo_model` table (read only, usually in flash or .rodata); generic code
 * needs nothing else to describe, size, create, run and destroy it. Layouts are pinned by tests;
 * changing one bumps the version.
 */
#ifndef CAMEO_ABI_H
#define CAMEO_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CAMEO_ABI_VERSION 3u

/* What a shared library with a model in it exports: these calls and the model's, nothing else. */
#if defined(__GNUC__) && !defined(_WIN32)
#define CAMEO_API __attribute__((visibility("default")))
#else
#define CAMEO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Status
 * ======
 */

typedef enum cameo_code {
  CAMEO_OK = 0,
  CAMEO_INVALID_ARGUMENT = 1, /* the call is wrong: nothing ran, nothing was written */
  CAMEO_OUT_OF_RANGE = 2,     /* a value of a tensor is: the access was suppressed, outputs are
                                 unspecified but in bounds */
  CAMEO_LIMIT = 3, /* a stated bound (arena, capacity, loop trips) is too small for these inputs */
  CAMEO_OUT_OF_MEMORY = 4, /* the allocator said no; retrying may work */
  CAMEO_UNSUPPORTED = 5,   /* this build, plan, driver or device cannot do that */
  CAMEO_WRONG_ARCH = 6,    /* no device code for this GPU in the build */
  CAMEO_LOAD_ERROR = 7,    /* the weights are missing, truncated, damaged, or another model's */
  CAMEO_BUSY = 8,          /* the context is inside another call */
  CAMEO_NOT_READY = 9,     /* only from polling: not finished yet */
  CAMEO_DEVICE_LOST = 10,  /* the device failed; only destroy is useful on this context */
  CAMEO_INTERNAL = 11      /* a bug of Cameo */
} cameo_code;

/*
 * What every call returns. `message` is static text in which {0}..{3} stand for `values`, {dtype0}
 * for the name of the dtype values[0] (so for {space0}, {kind0}, {symbol0}, {tensor0}), {tensor}
 * and {node} for names out of the model's tables: `cameo_format` puts them in. Index -1 = none.
 */
typedef struct cameo_status {
  int32_t code;   /* cameo_code */
  int32_t node;   /* index into cameo_model.nodes, or -1 */
  int32_t tensor; /* index into inputs; outputs follow (input_count + k); or -1 */
  int32_t reserved;
  const char *message;
  int64_t values[4];
} cameo_status;

/*
 * Tensors
 * =======
 */

/*
 * CAMEO_FLOAT = 1 to CAMEO_FLOAT6E3M2 = 28, numbered as ONNX TensorProto.DataType:
 * element_types.def has the rows. Elements below a byte are packed, the first in the low bits: two
 * or four a byte, those of 6 bits four in three bytes; the bits that remain in the last byte are 0.
 */
typedef enum cameo_dtype {
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind, bits, ir, npy, rtol, atol)              \
  CAMEO_##ONNX = number,
#include "cameo/element_types.def"
  CAMEO_UNDEFINED = 0
} cameo_dtype;

typedef enum cameo_space {
  CAMEO_SPACE_HOST = 0,
  CAMEO_SPACE_PINNED = 1, /* host memory the device can copy from asynchronously */
  CAMEO_SPACE_DEVICE = 2,
  CAMEO_SPACE_MANAGED = 3, /* readable from both sides */
  CAMEO_SPACE_NULL = 4     /* no data at all: legal where only dims are used */
} cameo_space;

typedef enum cameo_kind {
  CAMEO_TENSOR = 0,
  CAMEO_SEQUENCE = 1, /* data: cameo_tensor items, bytes / sizeof(cameo_tensor) of them; no dims */
  CAMEO_OPTIONAL = 2, /* the same with no item or one */
  CAMEO_MAP = 3       /* two items: keys and values, tensors of rank 1 and equal length */
} cameo_kind;

typedef struct cameo_string {
  const char *data; /* not terminated; may be null when size is 0 */
  size_t size;
} cameo_string;

struct cameo_tensor;

/*
 * Gives the buffer of an output whose size is first known while the model runs. Called at most once
 * per run and tensor, from a thread of the run, with dims and rank already set. Returns null to
 * refuse (OUT_OF_MEMORY).
 */
typedef void *(*cameo_bind_fn)(void *user, const struct cameo_tensor *tensor, size_t bytes);

/*
 * A tensor bound to an input or an output. Never owned by the runtime. `dims` is read for inputs;
 * for outputs it is written by `infer_shapes`, by a `run` that succeeds, and by `cameo_output`, and
 * must have room for the rank that the model's table gives (CAMEO_MAX_RANK where that rank is
 * dynamic). `bytes` is what really lies behind `data`; it is mandatory, and checked. A run copies
 * the struct, its dims and strides: they may go when it has returned, `data` and the events must
 * stay until it has finished.
 */
typedef struct cameo_tensor {
  void *data;
  size_t bytes;
  int64_t *dims;
  const int64_t
      *strides; /* in elements, none negative; null = dense row-major. Those of an output
                   keep its elements apart: sorted, each is beyond what the smaller span */
  int32_t rank;
  int32_t dtype;      /* cameo_dtype */
  int32_t space;      /* cameo_space */
  int32_t kind;       /* cameo_kind */
  void *ready;        /* device event to wait for before touching data, or null */
  void *done;         /* device event the run records when it no longer touches data, or null */
  cameo_bind_fn bind; /* for an open output without data; null = lend the context's own memory */
  void *user;         /* handed to bind */
} cameo_tensor;

#define CAMEO_MAX_RANK 64

/* What the device gets of the host in a run goes with the launch of a kernel up to so many bytes,
   which takes no copy and no memory of the driver's; more is copied. */
#define CAMEO_LAUNCH_UPLOAD_BYTES 512

/*
 * Creating a context
 * ==================
 */

typedef struct cameo_context cameo_context; /* one per thread or stream */
typedef struct cameo_weights cameo_weights; /* loaded weights, shared by contexts, counted */

/* Memory from the caller. `allocate` returns memory of the wanted alignment and space, or null. */
typedef struct cameo_allocator {
  void *user;
  void *(*allocate)(void *user, size_t bytes, size_t alignment, int32_t space);
  void (*release)(void *user, void *memory, size_t bytes, int32_t space);
} cameo_allocator;

/*
 * Threads from the caller. `parallel` calls task(arg, i) once for each i in [0, count), on any
 * threads, in any order, concurrently or not, and returns when all are done. `submit`, if not null,
 * makes run() asynchronous: it arranges that task(arg) is called once, later or on another thread,
 * and returns 0, or non-zero to refuse.
 */
typedef struct cameo_executor {
  void *user;
  int32_t threads; /* how many pieces parallel work is cut into */
  int32_t reserved;
  void (*parallel)(void *user, int32_t count, void (*task)(void *arg, int32_t index), void *arg);
  int (*submit)(void *user, void (*task)(void *arg), void *arg);
} cameo_executor;

typedef enum cameo_log_level {
  CAMEO_LOG_ERROR = 0,
  CAMEO_LOG_WARNING = 1,
  CAMEO_LOG_INFO = 2
} cameo_log_level;

typedef struct cameo_logger {
  void *user;
  void (*log)(void *user, int32_t level, const char *message);
} cameo_logger;

/* All zero but `abi` is a good default: weights as compiled, malloc, arena on demand, one thread a
 * core, device 0. */
typedef struct cameo_options {
  uint32_t abi;   /* CAMEO_ABI_VERSION */
  int32_t device; /* ordinal; ignored on cpu */
  int32_t
      threads; /* own team: 0 = one a core, 1 = the calling thread only; ignored with an executor */
  int32_t verify_weights; /* 1 = hash embedded or extern weights too (a file is always hashed) */
  cameo_weights *shared;  /* weights loaded before, or null */
  const void *weights;    /* the weights blob (header included), or null */
  size_t weights_bytes;
  const char *weights_path;  /* the blob's file, or null: the table's, beside the program */
  cameo_allocator allocator; /* zero = malloc (refused under CAMEO_HEAP_NONE) */
  void *host_arena;          /* null = allocated when the size is known */
  size_t host_arena_bytes;
  void *device_arena;
  size_t device_arena_bytes;
  int64_t max_loop_trips;  /* cap on any one loop; 0 = 2^31 */
  cameo_executor executor; /* zero = own team */
  cameo_logger logger;     /* zero = silent */
} cameo_options;

/* What a run on given inputs needs. */
typedef struct cameo_memory {
  uint64_t host_arena;
  uint64_t device_arena;
  uint64_t weights;
  uint64_t alignment;      /* of the arenas */
  uint64_t peak_bytes;     /* the largest tensor at the moment of peak use */
  const char *peak_tensor; /* its ONNX name, or null */
  int32_t late_symbols; /* extents first known while running: the arenas above reach up to the first
                           of them */
  int32_t reserved;
} cameo_memory;

/* What the last run did; names as in `cameo verify --json`. */
typedef struct cameo_counters {
  int64_t h2d, h2d_bytes;
  int64_t d2h, d2h_bytes;
  int64_t d2h_outputs; /* fetches of outputs bound on the host; not in d2h */
  int64_t d2d;
  int64_t repacks, repack_bytes;
  int64_t host_copies, host_copy_bytes;
  int64_t blocking_syncs;
  int64_t launches;
  int64_t loop_iterations;
  int64_t shape_program_runs;
  int64_t host_allocs, device_allocs;
  int64_t launch_uploads;                   /* to the device with a launch; not in h2d */
  int64_t kernel_copies, kernel_copy_bytes; /* by kernels that compute nothing */
} cameo_counters;

/*
 * Operators of the user's own
 * ===========================
 */

/* Numbered as ONNX AttributeProto.AttributeType. */
typedef enum cameo_attribute_kind {
  CAMEO_ATTRIBUTE_FLOAT = 1,
  CAMEO_ATTRIBUTE_INT = 2,
  CAMEO_ATTRIBUTE_STRING = 3,
  CAMEO_ATTRIBUTE_FLOATS = 6,
  CAMEO_ATTRIBUTE_INTS = 7,
  CAMEO_ATTRIBUTE_STRINGS = 8
} cameo_attribute_kind;

/* An attribute of a node, as the model or the declaration has it. */
typedef struct cameo_attribute {
  const char *name;
  int32_t kind;  /* cameo_attribute_kind */
  int32_t count; /* of values: 1 unless it is a list */
  /* The values of its kind; the others are null, and so is an empty list. */
  const int64_t *ints;
  const float *floats;
  const cameo_string *strings;
} cameo_attribute;

/* One call of a function that computes an operator. */
typedef struct cameo_call {
  const char *node; /* the node's name in the model */
  void *stream;     /* of an operator on the device: where its work is enqueued; else null */
  /* Where the function writes the extents that its declaration leaves open, in the order of outputs
     and their dims; on the operator's side, written in the order of the stream. Null: they have
     been told, and are in the dims. */
  int64_t *counts;
  int32_t count_count;
  int32_t launches; /* the function may say how many kernels it has launched, for the counters */
} cameo_call;

/*
 * What computes an operator. Tensors are dense and on the operator's side; `data` is null for an
 * input that the node leaves out, and for an output that nobody reads or that only its extents are
 * asked of, which is not written. An output has memory for the most that its declaration allows,
 * which `dims` say; the elements are those of the extents in `counts`, from the first one on. Any
 * code but CAMEO_OK ends the run with that status.
 */
typedef cameo_status (*cameo_external_fn)(cameo_call *call, const cameo_tensor *inputs,
                                          int32_t input_count, cameo_tensor *outputs,
                                          int32_t output_count, const cameo_attribute *attributes,
                                          int32_t attribute_count);

/*
 * The description of a model
 * ==========================
 */

typedef enum cameo_dim_kind {
  CAMEO_DIM_VALUE = 0,   /* min == max == the extent */
  CAMEO_DIM_SYMBOL = 1,  /* a symbol, or an expression of symbols and host values known at entry */
  CAMEO_DIM_RANGE = 2,   /* a symbol that must lie in [min, max] */
  CAMEO_DIM_BOUNDED = 3, /* known after the run; the dims that infer_shapes reports are a capacity:
                            each is at most its own, or together they are at most their product */
  CAMEO_DIM_OPEN = 4     /* known during the run, no bound */
} cameo_dim_kind;

typedef struct cameo_dim {
  int32_t kind;   /* cameo_dim_kind */
  int32_t symbol; /* index into cameo_model.symbols of an extent that is one symbol, or -1 */
  int64_t min, max;
  const char *text; /* "N", "2*N + 1", or null for a value */
} cameo_dim;

enum {
  /* An input of which only dims are used: data may be null. */
  CAMEO_PORT_DIMS_ONLY = 1,
  /* An input whose value decides extents or control: must be readable on the host at entry. */
  CAMEO_PORT_HOST_VALUE = 2,
  /* An input with an initializer: may be absent (space CAMEO_SPACE_NULL, all else ignored). */
  CAMEO_PORT_DEFAULT = 4,
  /* cameo_buffer gives memory that costs no copy when bound. */
  CAMEO_PORT_LENDABLE = 8,
  /* An output that may be bound to the memory of the input that it updates (`updated`), both dense
     and of equal bytes: a run then writes what changes and nothing else. */
  CAMEO_PORT_ALIAS = 16,
  /* An output that kernels write at the caller's strides where the last of them is 1; others are
     repacked. */
  CAMEO_PORT_STRIDED = 32
};

/* What an input with CAMEO_PORT_DEFAULT is when it is absent: of its port's dtype and rank. */
typedef struct cameo_default {
  const int64_t *dims; /* null for a scalar */
  int64_t offset;      /* of its elements in the payload of the weights */
  const void *data; /* its elements once more where its port has CAMEO_PORT_HOST_VALUE, or null */
} cameo_default;

/* An input or output, or the items of one. */
typedef struct cameo_port {
  const char *name; /* null for items */
  int32_t kind;     /* cameo_kind */
  int32_t dtype;    /* this and the next four: of a tensor */
  int32_t rank;     /* -1 = dynamic, without `dims`: infer_shapes gives the most dims there may be,
                       a run how many there are */
  int32_t flags;    /* CAMEO_PORT_... */
  const cameo_dim *dims;
  const struct cameo_port *item; /* of a sequence or optional; of a map key, value; of a tensor in
                                    place of maps the keys of its columns, int64 or string, as
                                    `initial`; else null */
  int32_t space;                 /* preferred cameo_space: bound there, it costs no copy */
  uint32_t spaces;    /* accepted, bit 1 << cameo_space each; others are an error, never a bounce */
  uint32_t alignment; /* bytes, at most 64; less is repacked if accept_strides, else refused */
  int32_t accept_strides; /* 1 = strides are repacked once, on the tensor's side; 0 = refused */
  const cameo_default *initial; /* with CAMEO_PORT_DEFAULT; else null */
  int32_t updated;              /* with CAMEO_PORT_ALIAS: the number of that input; else 0 */
} cameo_port;

/* The first bytes of a weights blob; `bytes` of payload follow. Little endian. */
typedef struct cameo_weights_header {
  char magic[8]; /* "CAMEOWT1" */
  uint64_t bytes;
  uint64_t hash; /* XXH64 of the payload, seed 0 */
  uint64_t reserved[5];
} cameo_weights_header;

/* Where the weights of a model are. All null and 0 bytes: it has none. */
typedef struct cameo_weights_info {
  uint64_t bytes; /* payload */
  uint64_t hash;
  const void *embedded; /* the blob, header first, aligned to 64; or null */
  const char *file;     /* default file name; or null */
} cameo_weights_info;

typedef struct cameo_target cameo_target; /* the runtime behind a context; context_base.h */

/* One compiled model. `run` and the others are also exported as NAME_run and so on. */
typedef struct cameo_model {
  uint32_t abi;
  int32_t input_count, output_count, symbol_count, node_count;
  int32_t blocking_syncs; /* host waits inside run(); 0 = it only enqueues */
  int32_t readbacks;      /* device to host copies inside run() */
  uint32_t state_bytes;   /* generated code's own memory per context, zeroed by create */
  const char *name;
  const char *compiler;    /* "cameo 1.0.0" */
  const char *target_name; /* "cpu" or "cuda" */
  const cameo_target *target;
  const cameo_port *inputs, *outputs;
  const char *const *symbols;
  const char *const *nodes;
  cameo_weights_info weights;
  cameo_status (*infer_shapes)(const cameo_tensor *inputs, int32_t input_count,
                               cameo_tensor *outputs, int32_t output_count);
  cameo_status (*memory)(const cameo_tensor *inputs, int32_t input_count, cameo_memory *plan);
  cameo_status (*create)(const cameo_options *options, cameo_context **context);
  cameo_status (*run)(cameo_context *context, const cameo_tensor *inputs, int32_t input_count,
                      cameo_tensor *outputs, int32_t output_count, void *stream);
  void (*destroy)(cameo_context *context);
} cameo_model;

/*
 * Generic calls, for a context of any model
 * =========================================
 */

/*
 * Waits for the last run and returns its status, or the first error of the runs before it that
 * nobody has been told yet. Only now are outputs in pageable memory there.
 */
CAMEO_API cameo_status cameo_finish(cameo_context *context);
/* As cameo_finish, but CAMEO_NOT_READY instead of waiting. */
CAMEO_API cameo_status cameo_poll(cameo_context *context);
/* One output: CAMEO_OK when its data is there, CAMEO_NOT_READY before. */
CAMEO_API cameo_status cameo_ready(cameo_context *context, int32_t output);
/* Waits for one output. */
CAMEO_API cameo_status cameo_wait(cameo_context *context, int32_t output);
/*
 * Waits for the last run, then writes what it has made of one output: data, bytes, space, dtype,
 * rank, and the extents to `tensor->dims`, which has the room that it must have for run(). The only
 * way to learn an extent that is counted while the model runs, or, where run() is asynchronous, the
 * memory of an open output.
 */
CAMEO_API cameo_status cameo_output(cameo_context *context, int32_t output, cameo_tensor *tensor);
/*
 * Makes `tensor` an extent of one output of the last run: an int64 of rank 0, in memory of the
 * context's until it runs again. Where the device counts the extent it is in device memory, there
 * in the order of the run's stream, and nobody waits for it: an input of a model that is compiled
 * with --counted-dim.
 */
CAMEO_API cameo_status cameo_extent(cameo_context *context, int32_t output, int32_t dim,
                                    cameo_tensor *tensor);
/* Copies one output of the last run into host memory and waits for it. */
CAMEO_API cameo_status cameo_fetch(cameo_context *context, int32_t output, void *destination,
                                   size_t bytes);
/*
 * Lends memory of the context for input `index` (or output: input_count + k): the caller sets
 * dtype, rank and dims, gets data, bytes and space. Valid until destroy, or until lent again for
 * more bytes.
 */
CAMEO_API cameo_status cameo_buffer(cameo_context *context, int32_t index, cameo_tensor *tensor);
/* Counters of the last run that has finished. */
CAMEO_API cameo_status cameo_counters_of(cameo_context *context, cameo_counters *counters);
/* Loads weights once, for many contexts (cameo_options.shared); each context holds a count. */
CAMEO_API cameo_status cameo_weights_load(const cameo_model *model, const cameo_options *options,
                                          cameo_weights **weights);
CAMEO_API void cameo_weights_release(cameo_weights *weights);

/* "INVALID_ARGUMENT" and so on; never null. */
CAMEO_API const char *cameo_code_name(int32_t code);
/* "float32", "int64" and so on; never null. */
CAMEO_API const char *cameo_dtype_name(int32_t dtype);
/* Width of one element in bits, 0 when unknown. */
CAMEO_API int32_t cameo_dtype_bits(int32_t dtype);
/*
 * Writes the status as one line, always terminated, control and non-ASCII bytes escaped; `model`
 * may be null. Returns the length the whole line has, like snprintf.
 */
CAMEO_API size_t cameo_format(const cameo_status *status, const cameo_model *model, char *text,
                              size_t bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* CAMEO_ABI_H */
