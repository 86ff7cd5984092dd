// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context of a model, run on arrays of Python's. A call may cost more than the model, so arrays
// go by the buffer protocol, and all that does not change between calls is kept. Anything that
// NumPy does not have by itself goes through _arrays.py.
#pragma once

#include "executor.h"
#include "library.h"

#include <cstdlib>
#include <vector>

namespace cameo_onnx {

/// Memory for an output of which the run finds out how much it is.
struct late_memory {
  void *data = nullptr;

  static void *bind(void *self, const cameo_tensor *, size_t bytes) {
    auto &memory = *static_cast<late_memory *>(self);
    std::free(memory.data);
    memory.data = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
    return memory.data;
  }
  late_memory() = default;
  late_memory(const late_memory &) = delete;
  late_memory &operator=(const late_memory &) = delete;
  ~late_memory() { std::free(data); }
};

/// An input or output of a session, with what stays between its runs.
struct slot {
  const cameo_port *port = nullptr;
  cameo_tensor *tensor = nullptr;
  nb::object name, dtype; ///< `dtype`: NumPy's; None where NumPy has none by itself
  bool is_exact = false;  ///< its extents follow from those of the inputs
  std::vector<int64_t> dims, strides, last_dims;
  nb::object last_shape;
  int64_t lent_bytes = -1; ///< what lend() has given; -1 before
  // During a run:
  Py_buffer view{};
  bool has_view = false;
  nb::object kept; ///< what the memory belongs to
  std::vector<cameo_string> strings;
  std::unique_ptr<late_memory> late;

  /// The tensor of a new run, with the extents in `dims`.
  cameo_tensor &start() {
    *tensor = {};
    tensor->dims = dims.data();
    tensor->rank = static_cast<int32_t>(dims.size());
    tensor->dtype = port->dtype;
    tensor->kind = port->kind;
    return *tensor;
  }
  void set_dims(nb::handle shape) {
    dims.clear();
    for (nb::handle extent : shape)
      dims.push_back(nb::cast<int64_t>(extent));
  }
  /// Holds an object's buffer; false where it has none of that kind.
  bool acquire(nb::handle value, int flags) {
    has_view = PyObject_GetBuffer(value.ptr(), &view, flags) == 0;
    if (!has_view)
      PyErr_Clear();
    return has_view;
  }
  void release() {
    if (has_view)
      PyBuffer_Release(&view);
    has_view = false;
  }
  void clear() {
    release();
    kept.reset();
    strings.clear();
    late.reset();
  }
};

class session {
public:
  session(std::shared_ptr<library> library, int32_t threads, nb::handle executor);
  ~session() {
    if (context_)
      code_->model->destroy(context_);
  }
  session(const session &) = delete;
  session &operator=(const session &) = delete;

  /// A dict of outputs of a dict of inputs; `out` has arrays that outputs are written into. On a
  /// `stream` of the caller's, a run whose outputs are all there is enqueued, and not waited for.
  nb::object run(nb::handle feeds, nb::handle out, nb::handle stream);
  /// Waits for what run() has enqueued.
  void finish();
  /// Memory of the session for an input or output, on the side where it costs no copy; `self` is
  /// the session's Python object, which the memory keeps.
  nb::object lend(nb::handle self, const std::string &name, const std::vector<int64_t> &shape);
  nb::dict counters() const;
  cameo_onnx::executor &executor() { return executor_; }

private:
  class in_use;

  void prepare(slot &s, const cameo_port &port, cameo_tensor &tensor);
  cameo_options make_options(int32_t threads, nb::handle executor);

  void set_stream(nb::handle stream);
  /// A tensor by DLPack, whose producer has the stream wait for what it has done; false for others.
  template <class ARRAY> bool import_tensor(nb::handle value, ARRAY &array) const;

  void read_all(nb::handle feeds);
  void read(slot &s, nb::handle value);
  bool read_buffer(slot &s, nb::handle value);
  void read_packed(slot &s, nb::handle packed);
  void read_dlpack(slot &s, nb::handle value);
  void read_strings(slot &s, nb::handle value);
  /// Fails where something is given that is no input.
  void refuse_unknown(nb::handle feeds) const;

  /// The extents of all outputs, -1 where the run finds them out.
  void infer();
  void bind_all(nb::handle out);
  /// Has the run write into an array of the caller's.
  void write_into(slot &s, nb::handle value);
  void write_into_buffer(slot &s);
  void write_into_dlpack(slot &s, nb::handle value);
  void allocate(slot &s);
  void execute();
  /// Whether nobody has to wait for a run: the caller's stream orders it, and all that it tells is
  /// known.
  bool is_ordered() const;
  /// Holds what an enqueued run goes on using, until it has finished.
  void hold();
  void let_go();
  /// The object that the caller gets for an output.
  nb::object take(slot &s, int32_t number);
  nb::object take_late(slot &s, nb::handle shape, int64_t count);

  [[noreturn]] static void refuse(const slot &s, const std::string &why);
  [[noreturn]] void refuse_dtype(const slot &s, int32_t given, const char *what) const;

  std::shared_ptr<library> code_;
  cameo_context *context_ = nullptr;
  std::vector<slot> inputs_, outputs_;
  std::vector<cameo_tensor> in_, out_;
  nb::object empty_, arrays_;
  cameo_onnx::executor executor_;
  void *stream_ = nullptr; ///< of the run; null is CUDA's default one, and of a CPU all there is
  bool has_stream_ = false;
  std::vector<nb::object> held_;
  std::vector<std::vector<cameo_string>> held_strings_;
  bool busy_ = false;
};

} // namespace cameo_onnx
