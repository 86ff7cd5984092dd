// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs that use generated models: RAII over the C interface. A `model` is a table that the
// linker knows plus its weights, loaded once; a `session` is one context of it, for one thread or
// stream. No exceptions: whatever can fail returns a status.
#pragma once

#include "cameo/tensor.h"

namespace cameo {

/// One context. Movable; destroyed with the object.
class session {
public:
  session() = default;
  ~session() { close(); }
  session(session &&other) noexcept : model_(other.model_), context_(other.context_) {
    other.context_ = nullptr;
  }
  session &operator=(session &&other) noexcept {
    if (this != &other) {
      close();
      model_ = other.model_;
      context_ = other.context_;
      other.context_ = nullptr;
    }
    return *this;
  }

  status open(const cameo_model &model, const cameo_options &options) {
    close();
    model_ = &model;
    return model.create(&options, &context_);
  }
  void close() {
    if (context_)
      model_->destroy(context_);
    context_ = nullptr;
  }

  /// Runs on `stream` (null: the default one, and on cpu always). The outputs' data is there after
  /// finish(), and need not be before; so are extents that are counted while the model runs.
  status run(const cameo_tensor *inputs, int32_t input_count, cameo_tensor *outputs,
             int32_t output_count, void *stream = nullptr) {
    if (!context_)
      return {CAMEO_INVALID_ARGUMENT, -1, -1, 0, "the session is not open", {0, 0, 0, 0}};
    return model_->run(context_, inputs, input_count, outputs, output_count, stream);
  }
  template <size_t N, size_t M>
  status run(tensor (&inputs)[N], tensor (&outputs)[M], void *stream = nullptr) {
    constexpr int32_t input_count{N}, output_count{M};
    cameo_tensor in[N], out[M];
    for (int32_t i = 0; i < input_count; ++i)
      in[i] = inputs[i].c();
    int64_t dims[M][CAMEO_MAX_RANK];
    for (int32_t k = 0; k < output_count; ++k) {
      out[k] = outputs[k].c();
      for (int32_t d = 0; d < out[k].rank; ++d)
        dims[k][d] = outputs[k].dim(d);
      out[k].dims = dims[k];
    }
    CAMEO_TRY(run(in, input_count, out, output_count, stream));
    for (int32_t k = 0; k < output_count; ++k)
      if (!outputs[k].update(out[k]))
        return too_many_dims(k, out[k].rank);
    return success();
  }

  /// Waits for the run: the outputs are there.
  status finish() { return cameo_finish(context_); }
  /// Waits for the run and takes over what it has made of the outputs: extents, lent memory.
  template <size_t M> status finish(tensor (&outputs)[M]) {
    constexpr int32_t output_count{M};
    for (int32_t k = 0; k < output_count; ++k) {
      int64_t dims[CAMEO_MAX_RANK];
      cameo_tensor t = outputs[k].c();
      t.dims = dims;
      CAMEO_TRY(cameo_output(context_, k, &t));
      if (!outputs[k].update(t))
        return too_many_dims(k, t.rank);
    }
    return success();
  }
  status poll() { return cameo_poll(context_); }
  status fetch(int32_t output, void *destination, size_t bytes) {
    return cameo_fetch(context_, output, destination, bytes);
  }
  /// An extent of an output, for an input of the model that comes next; see cameo_extent.
  status extent(int32_t output, int32_t dim, tensor &t) {
    cameo_tensor found{};
    CAMEO_TRY(cameo_extent(context_, output, dim, &found));
    t.update(found);
    return success();
  }
  status buffer(int32_t index, cameo_tensor &t) { return cameo_buffer(context_, index, &t); }
  status counters(cameo_counters &counters) const { return cameo_counters_of(context_, &counters); }

  cameo_context *get() const { return context_; }

private:
  status too_many_dims(int32_t output, int32_t rank) const {
    return {CAMEO_INVALID_ARGUMENT,
            -1,
            model_->input_count + output,
            0,
            "{tensor} has {0} dims; a cameo::tensor has room for {1}: use cameo_tensor",
            {rank, tensor::max_rank, 0, 0}};
  }

  const cameo_model *model_ = nullptr;
  cameo_context *context_ = nullptr;
};

/// A model whose weights all sessions share.
class model {
public:
  explicit model(const cameo_model &table) : table_(&table) { options_.abi = CAMEO_ABI_VERSION; }
  ~model() { cameo_weights_release(options_.shared); }
  model(const model &) = delete;
  model &operator=(const model &) = delete;

  const cameo_model &table() const { return *table_; }
  /// To be set before load() or the first open().
  cameo_options &options() { return options_; }

  /// Loads the weights; open() does it if nobody has. Not from two threads at once.
  status load() {
    return options_.shared ? success() : cameo_weights_load(table_, &options_, &options_.shared);
  }
  status open(session &s) {
    CAMEO_TRY(load());
    return s.open(*table_, options_);
  }
  status memory(const cameo_tensor *inputs, cameo_memory &plan) const {
    return table_->memory(inputs, table_->input_count, &plan);
  }
  status infer_shapes(const cameo_tensor *inputs, cameo_tensor *outputs) const {
    return table_->infer_shapes(inputs, table_->input_count, outputs, table_->output_count);
  }
  /// A status as text; see cameo_format.
  size_t format(const status &s, char *text, size_t bytes) const {
    return cameo_format(&s, table_, text, bytes);
  }

private:
  const cameo_model *table_;
  cameo_options options_{};
};

} // namespace cameo
