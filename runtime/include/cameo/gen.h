// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generated host code calls whatever its target: checked sizes, the checks of a call's
// tensors, the packer that places buffers in an arena. Nothing here allocates. Generated code may
// assume that after check_dims every extent is non-negative and every symbol has one value, and
// after check_data that every input has the bytes its dims need; so index arithmetic inside those
// extents cannot overflow.
#pragma once

#include "cameo/dense.h"
#include "cameo/element_types.h"
#include "cameo/errors.h"
#include "cameo/extent.h"
#include "cameo/fault.h"
#include "cameo/standard.h"

namespace cameo {

// ---- Tensors of a call -------------------------------------------------------------------------

/// The inputs with descriptions of their defaults in place of absent ones, written to `filled`,
/// which has room for the model's inputs. A default's data is there where the host reads it.
/// check_dims refuses an input that a call lacks altogether.
const cameo_tensor *with_defaults(const cameo_model &model, const cameo_tensor *inputs,
                                  int32_t count, cameo_tensor *filled);

/// Holds the inputs, none absent, against the model's table: count, kind, dtype, rank, dims,
/// symbols. `symbols[i]` gets the value of symbol i. Data is looked at only where the value decides
/// extents, so infer_shapes can be asked without any.
status check_dims(const cameo_model &model, const cameo_tensor *inputs, int32_t count,
                  int64_t *symbols);

/// The rest of the checks before input `index` is read, its dims being checked: data present, long
/// enough, in an accepted space, strides accepted, bools 0 or 1.
status check_data(const cameo_model &model, const cameo_tensor *inputs, int32_t index);

/// How many tensors a run is given, and of the outputs what does not depend on their size: kind,
/// dtype, dims array.
status check_counts(const cameo_model &model, const cameo_tensor *inputs, int32_t input_count,
                    const cameo_tensor *outputs, int32_t output_count);

/// dtype, rank and dims of one tensor against the table, no symbol being bound.
status check_shape(const cameo_port &port, int32_t tensor, const cameo_tensor &t);

/// Writes dtype, rank and dims of output `index`, and to `bytes` what a dense buffer needs.
status set_shape(const cameo_model &model, cameo_tensor &output, int32_t index, const checked *dims,
                 int32_t rank, int64_t &bytes);

/// The extents that an output turned out to have: the last `rank` of `dims`, or all (-1).
void shrink_shape(cameo_tensor &output, std::initializer_list<int64_t> dims, int64_t rank);

/// For infer_shapes: as set_shape, and the tensor's `bytes` become the need. It uses only `dims` of
/// the caller's struct.
status infer_shape(const cameo_model &model, cameo_tensor *outputs, int32_t count, int32_t index,
                   std::initializer_list<checked> dims);

/// Bytes from the first to behind the last element of a tensor; -1 when that does not fit.
int64_t span_bytes(const cameo_tensor &tensor);
/// Whether the elements lie row-major without gaps.
bool is_dense(const cameo_tensor &tensor);
/// Whether data is aligned as its port wants.
bool is_aligned(const cameo_port &port, const cameo_tensor &tensor);
/// The rest of the checks before output `index` is written, its shape being set and its data there:
/// long enough, strides and alignment accepted, not over an input or another output. `bound[k]` is
/// the number of bytes that output k spans in this run, -1 while it is not bound; this one's is
/// set.
status check_output_memory(const cameo_model &model, const cameo_tensor *inputs,
                           const cameo_tensor *outputs, int32_t index, int64_t *bound);
/// Whether kernels that reach the memory of an output, which has been checked, write it at the
/// strides that it has.
bool takes_strides(const cameo_port &port, const cameo_tensor &output);
/// The stride of a dim of dense elements.
int64_t dense_stride(const cameo_tensor &tensor, int32_t d);
/// Copies a strided tensor to dense memory and back; both on the host.
void copy_to_dense(void *dense, const cameo_tensor &strided);
void copy_from_dense(const cameo_tensor &strided, const void *dense);

// ---- Arena -------------------------------------------------------------------------------------

constexpr int64_t arena_alignment = 64;

constexpr int64_t unknown_bytes = -1;  ///< not known before a later symbol: not placed yet
constexpr int64_t too_many_bytes = -2; ///< does not fit an int64_t: pack() fails

/// One value's memory, alive from step `first` through step `last`. Generated code fills the first
/// three members.
struct buffer {
  int64_t bytes = unknown_bytes;
  int32_t first = 0, last = 0; ///< steps, both inclusive
  int64_t offset = -1;         ///< from the start of its block; -1 = not placed
  int32_t block = 0;           ///< 0 = the arena; others: see context::replan
  int32_t next = 0, rank = 0;  ///< pack()'s own: lists through the array
};

/// A table of buffers: an array, or a struct that has buffers and nothing else, so that each has a
/// name where it is used.
struct buffer_table {
  template <class T, class = std::enable_if_t<!std::is_same_v<T, buffer_table>>>
  /*implicit*/ buffer_table(T &table)
      : rows(reinterpret_cast<buffer *>(&table)), count(sizeof(T) / sizeof(buffer)) {
    static_assert(sizeof(T) % sizeof(buffer) == 0 && alignof(T) == alignof(buffer),
                  "something else is in the table");
  }

  buffer *rows;
  int32_t count;
};

/// The size of a buffer from a checked expression.
constexpr int64_t bytes_of(checked size) {
  return size.fits() && size.value() >= 0 ? size.value() : too_many_bytes;
}

/// A program's facts of a buffer: which of its sizes it has, -1 where a later symbol decides, and
/// the first and last step at which it is alive.
struct buffer_life {
  int32_t size, first, last;
};

/// Sizes the buffers of a table, of which none is placed behind it. `lives` has one for each;
/// `sizes` are bytes, and null where no buffer has one.
inline void size_rows(buffer_table table, const buffer_life *lives, const int64_t *sizes) {
  for (int32_t row = 0; row < table.count; ++row) {
    const buffer_life &life = lives[row];
    table.rows[row] = {
        life.size < 0 ? unknown_bytes : sizes[life.size], life.first, life.last, -1, 0, 0, 0};
  }
}

/// Gives a symbol its value; fails, naming the node, where that is no number of 64 bits.
inline status define(int64_t &symbol, checked value, int32_t node) {
  symbol = value.value();
  return value.fits() ? success() : error_shape_overflow(node);
}

/// Places the buffers whose `first` is at or after `from` in `block`, leaving the others where they
/// are, so that no two that are alive at one step overlap; `bytes` gets the length that the block
/// needs. Largest first into the tightest gap. Needs no memory; time grows with count squared.
status pack(buffer *buffers, int32_t count, int32_t from, int32_t block, int64_t &bytes);

/// The most bytes alive at any step: no placement can do with less. `largest`, if not null, gets
/// the largest buffer of that moment, -1 if there is none.
int64_t live_bytes(const buffer *buffers, int32_t count, int32_t *largest);

/// For memory(): fills host_arena and peak from packed buffers, `names[i]` the ONNX value of
/// buffer i. A target adds its own needs.
void describe_arena(const buffer *buffers, int32_t count, const char *const *names,
                    int64_t arena_bytes, cameo_memory &plan);
/// The same where all places are constants: the largest buffer of the moment that needs most is
/// known too.
void describe_arena(int64_t arena_bytes, int64_t peak_bytes, const char *peak_tensor,
                    cameo_memory &plan);

/// Packs the buffers first.
inline status describe_arena(buffer_table buffers, const char *const *names, cameo_memory &plan) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, INT32_MIN, 0, bytes));
  describe_arena(buffers.rows, buffers.count, names, bytes, plan);
  return success();
}

// ---- The model's table -------------------------------------------------------------------------

/// A dim: a number, a symbol, one with limits, an expression of symbols, one that the run decides
/// within a bound, one that it decides without.
constexpr cameo_dim dim_value(int64_t value) {
  return {CAMEO_DIM_VALUE, -1, value, value, nullptr};
}
constexpr cameo_dim dim_symbol(int32_t symbol, const char *text) {
  return {CAMEO_DIM_SYMBOL, symbol, 0, INT64_MAX, text};
}
constexpr cameo_dim dim_range(int32_t symbol, int64_t min, int64_t max, const char *text) {
  return {CAMEO_DIM_RANGE, symbol, min, max, text};
}
constexpr cameo_dim dim_expression(int64_t min, int64_t max, const char *text) {
  return {CAMEO_DIM_SYMBOL, -1, min, max, text};
}
constexpr cameo_dim dim_bounded(int64_t max, const char *text) {
  return {CAMEO_DIM_BOUNDED, -1, 0, max, text};
}
constexpr cameo_dim dim_open(int64_t min, const char *text) {
  return {CAMEO_DIM_OPEN, -1, min, INT64_MAX, text};
}

/// An input or output with elements of type T, row-major. It must be dense where the host reads it
/// before the first step, and where it is packed.
template <class T>
constexpr cameo_port tensor_port(const char *name, int32_t rank, const cameo_dim *dims,
                                 int32_t flags, int32_t space, uint32_t spaces,
                                 const cameo_default *initial) {
  cameo_port port = {};
  port.name = name;
  port.kind = CAMEO_TENSOR;
  port.dtype = element<T>::dtype;
  port.rank = rank;
  port.flags = flags;
  port.dims = dims;
  port.space = space;
  port.spaces = spaces;
  port.alignment = sizeof(T) < 8 ? sizeof(T) : 8;
  port.accept_strides = (flags & CAMEO_PORT_HOST_VALUE) == 0 && !is_packed_v<T>;
  port.initial = initial;
  return port;
}
template <class T, size_t N>
constexpr cameo_port tensor_port(const char *name, const cameo_dim (&dims)[N], int32_t flags,
                                 int32_t space, uint32_t spaces,
                                 const cameo_default *initial = nullptr) {
  return tensor_port<T>(name, int32_t{N}, dims, flags, space, spaces, initial);
}
/// A scalar.
template <class T>
constexpr cameo_port tensor_port(const char *name, std::nullptr_t, int32_t flags, int32_t space,
                                 uint32_t spaces, const cameo_default *initial = nullptr) {
  return tensor_port<T>(name, 0, nullptr, flags, space, spaces, initial);
}
/// An output whose rank the run decides.
struct any_rank_t {};
inline constexpr any_rank_t any_rank;
template <class T>
constexpr cameo_port tensor_port(const char *name, any_rank_t, int32_t flags, int32_t space,
                                 uint32_t spaces) {
  cameo_port port = tensor_port<T>(name, -1, nullptr, flags, space, spaces, nullptr);
  port.accept_strides = 0;
  return port;
}

/// The keys of an output's columns, all there as its default; and an output that has them.
template <class T> constexpr cameo_port keys_port(const cameo_default *values) {
  cameo_port port = {};
  port.kind = CAMEO_TENSOR;
  port.dtype = element<T>::dtype;
  port.rank = 1;
  port.initial = values;
  return port;
}
constexpr cameo_port with_keys(cameo_port port, const cameo_port *keys) {
  port.item = keys;
  return port;
}

/// An output that may be bound to the memory of input `updated`.
constexpr cameo_port updating(cameo_port port, int32_t updated) {
  port.flags |= CAMEO_PORT_ALIAS;
  port.updated = updated;
  return port;
}

/// Whether two structs of the values that a shape program reads are equal.
template <class S> bool same_values(const S &a, const S &b) {
  return __builtin_memcmp(&a, &b, sizeof(S)) == 0;
}

/// The values for which the shape program ran last: S holds the extents and host values it reads,
/// all int64_t. Kept in the context's state; see context::changed.
template <class S> struct memo {
  S values;
  bool valid;
  /// Forgets them unless they are these.
  bool holds(const S &now) { return valid = valid && same_values(values, now); }
  void keep(const S &now) { values = now, valid = true; }
};

} // namespace cameo
