// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo_onnx._core: loads the shared library of any one model and calls its C API (cameo/abi.h).
// It knows no model and is built once. What a call costs is counted in hundreds of nanoseconds, so
// arrays go by the buffer protocol, and all that does not change between calls is kept. Anything
// that NumPy does not have by itself goes through _arrays.py.
#include "cameo/abi.h"
#include "cameo/dlpack.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

// ---- Errors ------------------------------------------------------------------------------------

/// Raises cameo_onnx.Error.
[[noreturn]] void raise_error(const char *code, const std::string &message,
                              const std::string &node = "", const std::string &tensor = "") {
  nb::object type = nb::module_::import_("cameo_onnx._errors").attr("Error");
  nb::object error = type(message, code, node, tensor);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

/// What the call of Python's C API that has just failed has raised.
nb::object owned(PyObject *object) {
  if (!object)
    throw nb::python_error();
  return nb::steal(object);
}

// ---- Libraries ---------------------------------------------------------------------------------

struct library {
  library(const std::string &path, const std::string &name);
  ~library() {
    if (handle)
      dlclose(handle);
  }
  library(const library &) = delete;
  library &operator=(const library &) = delete;

  [[noreturn]] void raise(const cameo_status &status) const;
  void check(const cameo_status &status) const {
    if (status.code != CAMEO_OK)
      raise(status);
  }

  void *handle = nullptr;
  const cameo_model *model = nullptr;
  decltype(&cameo_finish) finish = nullptr;
  decltype(&cameo_output) output = nullptr;
  decltype(&cameo_counters_of) counters = nullptr;
  decltype(&cameo_code_name) code_name = nullptr;
  decltype(&cameo_dtype_name) dtype_name = nullptr;
  decltype(&cameo_dtype_bits) dtype_bits = nullptr;
  decltype(&cameo_format) format = nullptr;

private:
  template <class FUNCTION> void find(FUNCTION &function, const char *name) {
    function = reinterpret_cast<FUNCTION>(dlsym(handle, name));
    if (!function) {
      dlclose(std::exchange(handle, nullptr));
      raise_error("LOAD_ERROR", std::string("the library has no ") + name +
                                    ": it is none of Cameo's, or does not export its C API");
    }
  }
};

library::library(const std::string &path, const std::string &name) {
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    raise_error("LOAD_ERROR", dlerror());
  const cameo_model *(*describe)() = nullptr;
  find(describe, (name.empty() ? "cameo_describe" : name + "_describe").c_str());
  model = describe();
  if (model->abi != CAMEO_ABI_VERSION) {
    const std::string has = std::to_string(model->abi);
    dlclose(std::exchange(handle, nullptr));
    raise_error("LOAD_ERROR", "the library has interface version " + has + ", this package " +
                                  std::to_string(CAMEO_ABI_VERSION) + ": build the model again");
  }
  find(finish, "cameo_finish");
  find(output, "cameo_output");
  find(counters, "cameo_counters_of");
  find(code_name, "cameo_code_name");
  find(dtype_name, "cameo_dtype_name");
  find(dtype_bits, "cameo_dtype_bits");
  find(format, "cameo_format");
}

void library::raise(const cameo_status &status) const {
  std::string text(format(&status, model, nullptr, 0), '\0');
  format(&status, model, text.data(), text.size() + 1);
  std::string node, tensor;
  if (status.node >= 0 && status.node < model->node_count)
    node = model->nodes[status.node];
  const int32_t output = status.tensor - model->input_count;
  if (status.tensor >= 0 && output < 0)
    tensor = model->inputs[status.tensor].name;
  else if (output >= 0 && output < model->output_count)
    tensor = model->outputs[output].name;
  raise_error(code_name(status.code), text, node, tensor);
}

// ---- Arrays ------------------------------------------------------------------------------------

/// The element type of a buffer; 0 where ONNX has none, or its bytes are in another order.
int32_t dtype_of(const Py_buffer &view) {
  const char *format = view.format ? view.format : "B";
  if (*format == '<' || *format == '=' || *format == '@')
    ++format;
  const auto bits = static_cast<int>(view.itemsize * 8);
  const bool is_complex = *format == 'Z';
  if (format[is_complex ? 1 : 0] == '\0' || format[is_complex ? 2 : 1] != '\0')
    return 0;
  if (is_complex)
    return cameo::dlpack::dtype_of(5, bits);
  switch (*format) {
  case '?':
    return CAMEO_BOOL;
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
    return cameo::dlpack::dtype_of(0, bits);
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
    return cameo::dlpack::dtype_of(1, bits);
  case 'e':
  case 'f':
  case 'd':
    return cameo::dlpack::dtype_of(2, bits);
  default:
    return 0;
  }
}

/// Memory for an output of which the run finds out how much it is.
struct late_memory {
  void *data = nullptr;
  size_t bytes = 0;

  static void *bind(void *self, const cameo_tensor *, size_t bytes) {
    auto &memory = *static_cast<late_memory *>(self);
    std::free(memory.data);
    memory.bytes = bytes;
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
  nb::object name, dtype; ///< `dtype`: NumPy's; None where NumPy has none by itself
  bool is_exact = false;  ///< its extents follow from those of the inputs
  std::vector<int64_t> dims, strides, last_dims;
  nb::object last_shape;
  // During a run:
  Py_buffer view{};
  bool has_view = false;
  nb::object kept; ///< what the memory belongs to
  std::vector<cameo_string> strings;
  std::unique_ptr<late_memory> late;

  void clear() {
    if (has_view)
      PyBuffer_Release(&view);
    has_view = false;
    kept.reset();
    strings.clear();
    late.reset();
  }
};

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

// ---- Executors ---------------------------------------------------------------------------------

/// Parallel work on the threads of a concurrent.futures.Executor. The caller takes pieces too and
/// waits for those that others have begun, so that a pool that is full, or shut down, costs time
/// and nothing else.
struct executor {
  nb::object submit;

  struct work {
    void (*task)(void *, int32_t);
    void *arg;
    int32_t count;
    std::mutex mutex;
    std::condition_variable all_done;
    int32_t next = 0, done = 0;

    /// Whoever comes when all pieces are taken does not touch `arg`.
    void help() {
      std::unique_lock<std::mutex> lock(mutex);
      while (next < count) {
        const int32_t piece = next++;
        lock.unlock();
        task(arg, piece);
        lock.lock();
        if (++done == count)
          all_done.notify_all();
      }
    }
  };

  static void parallel(void *self, int32_t count, void (*task)(void *, int32_t), void *arg) {
    auto shared = std::make_shared<work>();
    shared->task = task;
    shared->arg = arg;
    shared->count = count;
    {
      nb::gil_scoped_acquire acquired;
      try {
        nb::object help = nb::cpp_function([shared] {
          nb::gil_scoped_release released;
          shared->help();
        });
        for (int32_t k = 1; k < count; ++k)
          static_cast<executor *>(self)->submit(help);
      } catch (nb::python_error &error) {
        error.discard_as_unraisable("cameo_onnx: the executor refuses work");
      }
    }
    shared->help();
    std::unique_lock<std::mutex> lock(shared->mutex);
    shared->all_done.wait(lock, [&] { return shared->done == count; });
  }
};

// ---- Sessions ----------------------------------------------------------------------------------

class session {
public:
  session(std::shared_ptr<library> library, int32_t threads, nb::handle executor);
  ~session() {
    if (context_)
      code_->model->destroy(context_);
  }
  session(const session &) = delete;
  session &operator=(const session &) = delete;

  nb::object run(nb::handle feeds, nb::handle out);
  nb::dict counters() const;

private:
  class in_use;

  void prepare(slot &s, const cameo_port &port);
  void read(int32_t number, nb::handle value);
  void read_strings(int32_t number, nb::handle value);
  bool read_buffer(int32_t number, nb::handle value);
  void read_dlpack(int32_t number, nb::handle value);
  void read_all(nb::handle feeds);
  /// Fails where something is given that is no input.
  void refuse_unknown(nb::handle feeds) const;
  void infer();
  void write_into(int32_t number, nb::handle value);
  void allocate(int32_t number);
  nb::object take(int32_t number);
  [[noreturn]] void refuse(const slot &s, const std::string &why) const {
    const std::string name = text_of(s.name);
    raise_error("INVALID_ARGUMENT", "'" + name + "' " + why, "", name);
  }
  std::string list_names(const std::vector<slot> &slots) const;

  std::shared_ptr<library> code_;
  cameo_context *context_ = nullptr;
  std::vector<slot> inputs_, outputs_;
  std::vector<cameo_tensor> in_, out_;
  nb::object empty_, arrays_;
  ::executor executor_;
  bool busy_ = false;
};

/// One call at a time; what it held is let go of at its end.
class session::in_use {
public:
  explicit in_use(session &s) : session_(s) {
    if (s.busy_)
      raise_error("BUSY", "the session is inside another call: give each thread a session");
    s.busy_ = true;
  }
  in_use(const in_use &) = delete;
  in_use &operator=(const in_use &) = delete;
  ~in_use() {
    for (slot &s : session_.inputs_)
      s.clear();
    for (slot &s : session_.outputs_)
      s.clear();
    session_.busy_ = false;
  }

private:
  session &session_;
};

void session::prepare(slot &s, const cameo_port &port) {
  s.port = &port;
  s.name = owned(PyUnicode_InternFromString(port.name));
  if (port.kind != CAMEO_TENSOR)
    raise_error("UNSUPPORTED",
                std::string("'") + port.name +
                    "' is a sequence, an optional or a map, which only the C and C++ API take",
                "", port.name);
  s.dtype = arrays_.attr("native_dtype")(code_->dtype_name(port.dtype));
  s.is_exact = port.rank >= 0;
  for (int32_t d = 0; d < port.rank; ++d)
    s.is_exact &= port.dims[d].kind != CAMEO_DIM_BOUNDED && port.dims[d].kind != CAMEO_DIM_OPEN;
  s.dims.resize(port.rank < 0 ? CAMEO_MAX_RANK : static_cast<size_t>(port.rank));
}

session::session(std::shared_ptr<library> library, int32_t threads, nb::handle executor)
    : code_(std::move(library)), inputs_(static_cast<size_t>(code_->model->input_count)),
      outputs_(static_cast<size_t>(code_->model->output_count)), in_(inputs_.size()),
      out_(outputs_.size()) {
  arrays_ = nb::module_::import_("cameo_onnx._arrays");
  empty_ = nb::module_::import_("numpy").attr("empty");
  for (size_t k = 0; k < inputs_.size(); ++k)
    prepare(inputs_[k], code_->model->inputs[k]);
  for (size_t k = 0; k < outputs_.size(); ++k)
    prepare(outputs_[k], code_->model->outputs[k]);
  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  options.threads = threads;
  if (!executor.is_none()) {
    executor_.submit = nb::getattr(executor, "submit");
    if (threads <= 0)
      raise_error("INVALID_ARGUMENT",
                  "`threads` says into how many pieces work for the executor is cut");
    options.executor.user = &executor_;
    options.executor.threads = threads;
    options.executor.parallel = ::executor::parallel;
  }
  cameo_status status;
  {
    nb::gil_scoped_release released;
    status = code_->model->create(&options, &context_);
  }
  code_->check(status);
}

std::string session::list_names(const std::vector<slot> &slots) const {
  std::string text;
  for (const slot &s : slots)
    text += (text.empty() ? "'" : ", '") + text_of(s.name) + "'";
  return text;
}

/// Takes a buffer as it lies; false where it has none that a run can read.
bool session::read_buffer(int32_t number, nb::handle value) {
  slot &s = inputs_[static_cast<size_t>(number)];
  if (PyObject_GetBuffer(value.ptr(), &s.view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  s.has_view = true;
  const Py_buffer &view = s.view;
  const int32_t dtype = dtype_of(view);
  if (dtype == 0 || view.ndim > CAMEO_MAX_RANK) {
    PyBuffer_Release(&s.view);
    s.has_view = false;
    return false;
  }
  if (dtype != s.port->dtype)
    refuse(s, std::string("is ") + code_->dtype_name(s.port->dtype) + ", and the array given " +
                  code_->dtype_name(dtype));
  cameo_tensor &t = in_[static_cast<size_t>(number)];
  t = {};
  s.dims.assign(view.shape, view.shape + view.ndim);
  t.dims = s.dims.data();
  t.rank = view.ndim;
  t.dtype = dtype;
  t.data = view.buf;
  t.bytes = static_cast<size_t>(view.len);
  if (PyBuffer_IsContiguous(&view, 'C'))
    return true;
  bool fits = s.port->accept_strides != 0;
  s.strides.clear();
  for (int d = 0; d < view.ndim; ++d) {
    fits &= view.strides[d] >= 0 && view.strides[d] % view.itemsize == 0;
    s.strides.push_back(view.strides[d] / view.itemsize);
  }
  const int64_t span = fits ? cameo::dlpack::span_of(t.dims, s.strides.data(), t.rank) : -1;
  if (span < 0) {
    PyBuffer_Release(&s.view);
    s.has_view = false;
    return false;
  }
  t.strides = s.strides.data();
  t.bytes = static_cast<size_t>(span * view.itemsize);
  return true;
}

void session::read_dlpack(int32_t number, nb::handle value) {
  slot &s = inputs_[static_cast<size_t>(number)];
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(value, array))
    refuse(s, "takes an array, by the buffer protocol or DLPack, not what " +
                  text_of(nb::repr(nb::type_name(value.type()))) + " is");
  const int32_t dtype = cameo::dlpack::dtype_of(array.dtype().code, array.dtype().bits);
  const int32_t space = cameo::dlpack::space_of(array.device_type());
  if (dtype == 0 || array.dtype().lanes != 1 || array.ndim() > CAMEO_MAX_RANK)
    refuse(s, "got elements that ONNX does not have");
  if (space < 0 || (s.port->spaces >> space & 1) == 0)
    refuse(s, "got memory of a device that this model does not run on");
  if (dtype != s.port->dtype)
    refuse(s, std::string("is ") + code_->dtype_name(s.port->dtype) + ", and the tensor given " +
                  code_->dtype_name(dtype));
  cameo_tensor &t = in_[static_cast<size_t>(number)];
  t = {};
  const auto rank = static_cast<int32_t>(array.ndim());
  s.dims.assign(array.shape_ptr(), array.shape_ptr() + rank);
  s.strides.assign(array.stride_ptr(), array.stride_ptr() + rank);
  const int64_t span = cameo::dlpack::span_of(s.dims.data(), s.strides.data(), rank);
  if (span < 0)
    refuse(s, "got strides that no run can read");
  t.dims = s.dims.data();
  t.rank = rank;
  t.dtype = dtype;
  t.space = space;
  t.data = const_cast<void *>(array.data());
  t.bytes = static_cast<size_t>((span * array.dtype().bits + 7) / 8);
  t.strides = s.strides.data();
  s.kept = nb::cast(array);
}

void session::read_strings(int32_t number, nb::handle value) {
  slot &s = inputs_[static_cast<size_t>(number)];
  nb::object flat = arrays_.attr("flatten_strings")(value);
  s.kept = flat;
  nb::tuple shape = flat[0];
  nb::list texts = flat[1];
  s.dims.clear();
  for (nb::handle extent : shape)
    s.dims.push_back(nb::cast<int64_t>(extent));
  for (nb::handle text : texts) {
    char *data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(text.ptr(), &data, &size) != 0)
      throw nb::python_error();
    s.strings.push_back({data, static_cast<size_t>(size)});
  }
  cameo_tensor &t = in_[static_cast<size_t>(number)];
  t = {};
  t.dims = s.dims.data();
  t.rank = static_cast<int32_t>(s.dims.size());
  t.dtype = CAMEO_STRING;
  t.data = s.strings.data();
  t.bytes = s.strings.size() * sizeof(cameo_string);
}

void session::read(int32_t number, nb::handle value) {
  slot &s = inputs_[static_cast<size_t>(number)];
  if (s.port->dtype == CAMEO_STRING)
    return read_strings(number, value);
  if (!s.dtype.is_none() && read_buffer(number, value))
    return;
  if (s.dtype.is_none()) {
    // Bytes as ONNX packs them, and the extents that they stand for.
    nb::object packed = arrays_.attr("pack")(value, code_->dtype_name(s.port->dtype), s.name);
    if (!packed.is_none()) {
      nb::tuple shape = packed[0];
      s.kept = packed[1];
      if (PyObject_GetBuffer(s.kept.ptr(), &s.view, PyBUF_SIMPLE) != 0)
        throw nb::python_error();
      s.has_view = true;
      s.dims.clear();
      for (nb::handle extent : shape)
        s.dims.push_back(nb::cast<int64_t>(extent));
      cameo_tensor &t = in_[static_cast<size_t>(number)];
      t = {};
      t.dims = s.dims.data();
      t.rank = static_cast<int32_t>(s.dims.size());
      t.dtype = s.port->dtype;
      t.data = s.view.buf;
      t.bytes = static_cast<size_t>(s.view.len);
      return;
    }
  } else {
    nb::object dense = arrays_.attr("make_dense")(value, s.dtype, s.name);
    if (!dense.is_none()) {
      s.kept = dense;
      if (read_buffer(number, dense))
        return;
    }
  }
  read_dlpack(number, value);
}

void session::read_all(nb::handle feeds) {
  if (!PyDict_Check(feeds.ptr()))
    raise_error("INVALID_ARGUMENT",
                "run takes a dict of arrays by input name; they are " + list_names(inputs_));
  Py_ssize_t used = 0;
  for (size_t k = 0; k < inputs_.size(); ++k) {
    PyObject *value = PyDict_GetItemWithError(feeds.ptr(), inputs_[k].name.ptr());
    if (value) {
      ++used;
      read(static_cast<int32_t>(k), value);
      continue;
    }
    if (PyErr_Occurred())
      throw nb::python_error();
    if ((inputs_[k].port->flags & CAMEO_PORT_DEFAULT) == 0) {
      refuse_unknown(feeds);
      refuse(inputs_[k], "is an input that was not given");
    }
    in_[k] = {};
    in_[k].space = CAMEO_SPACE_NULL;
  }
  if (used != PyDict_Size(feeds.ptr()))
    refuse_unknown(feeds);
}

void session::refuse_unknown(nb::handle feeds) const {
  for (auto [name, value] : nb::borrow<nb::dict>(feeds)) {
    bool known = false;
    for (const slot &s : inputs_)
      known |= s.name.equal(name);
    if (!known)
      raise_error("INVALID_ARGUMENT", "there is no input " + text_of(nb::repr(name)) +
                                          "; they are " + list_names(inputs_));
  }
}

/// The extents of all outputs, -1 where the run finds them out.
void session::infer() {
  for (size_t k = 0; k < outputs_.size(); ++k) {
    slot &s = outputs_[k];
    s.dims.assign(s.port->rank < 0 ? CAMEO_MAX_RANK : static_cast<size_t>(s.port->rank), -1);
    cameo_tensor &t = out_[k];
    t = {};
    t.dims = s.dims.data();
    t.rank = s.port->rank;
    t.dtype = s.port->dtype;
    t.kind = s.port->kind;
  }
  code_->check(code_->model->infer_shapes(in_.data(), static_cast<int32_t>(in_.size()), out_.data(),
                                          static_cast<int32_t>(out_.size())));
}

/// Has the run write into an array of the caller's.
void session::write_into(int32_t number, nb::handle value) {
  slot &s = outputs_[static_cast<size_t>(number)];
  cameo_tensor &t = out_[static_cast<size_t>(number)];
  if (s.dtype.is_none())
    refuse(s, std::string("has elements (") + code_->dtype_name(s.port->dtype) +
                  ") that NumPy has no arrays of by itself, so that `out` cannot take it");
  if (PyObject_GetBuffer(value.ptr(), &s.view, PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) ==
      0) {
    s.has_view = true;
    if (dtype_of(s.view) != s.port->dtype)
      refuse(s, std::string("is ") + code_->dtype_name(s.port->dtype) +
                    ", and the array in `out` is not");
    if (!PyBuffer_IsContiguous(&s.view, 'C'))
      refuse(s, "needs an array in `out` whose elements lie one behind the other");
    t.data = s.view.buf;
    t.bytes = static_cast<size_t>(s.view.len);
    if (s.is_exact &&
        (s.view.ndim != t.rank || !std::equal(s.dims.begin(), s.dims.end(), s.view.shape)))
      refuse(s, "has other extents than the array in `out`");
  } else {
    PyErr_Clear();
    nb::ndarray<> array;
    if (!nb::try_cast(value, array))
      refuse(s, "needs an array in `out` that can be written");
    const int32_t space = cameo::dlpack::space_of(array.device_type());
    const auto rank = static_cast<int32_t>(array.ndim());
    if (cameo::dlpack::dtype_of(array.dtype().code, array.dtype().bits) != s.port->dtype)
      refuse(s, std::string("is ") + code_->dtype_name(s.port->dtype) +
                    ", and the tensor in `out` is not");
    if (space < 0 || (s.port->spaces >> space & 1) == 0)
      refuse(s, "cannot be written to memory of that device");
    int64_t dense = 1;
    for (int32_t d = rank - 1; d >= 0; --d) {
      if (array.shape(d) > 1 && array.stride(d) != dense)
        refuse(s, "needs a tensor in `out` whose elements lie one behind the other");
      dense *= static_cast<int64_t>(array.shape(d));
    }
    if (s.is_exact &&
        (rank != t.rank || !std::equal(s.dims.begin(), s.dims.end(), array.shape_ptr())))
      refuse(s, "has other extents than the tensor in `out`");
    t.space = space;
    t.data = array.data();
    t.bytes = array.nbytes();
  }
  s.kept = nb::borrow(value);
}

void session::allocate(int32_t number) {
  slot &s = outputs_[static_cast<size_t>(number)];
  cameo_tensor &t = out_[static_cast<size_t>(number)];
  if (!s.is_exact || s.dtype.is_none()) {
    s.late = std::make_unique<late_memory>();
    t.bind = late_memory::bind;
    t.user = s.late.get();
    t.space = CAMEO_SPACE_HOST;
    t.data = nullptr;
    t.bytes = 0;
    return;
  }
  if (!s.last_shape.is_valid() || s.last_dims != s.dims) {
    nb::object shape = owned(PyTuple_New(static_cast<Py_ssize_t>(s.dims.size())));
    for (size_t d = 0; d < s.dims.size(); ++d)
      PyTuple_SetItem(shape.ptr(), static_cast<Py_ssize_t>(d),
                      owned(PyLong_FromLongLong(s.dims[d])).release().ptr());
    s.last_shape = std::move(shape);
    s.last_dims = s.dims;
  }
  PyObject *arguments[] = {s.last_shape.ptr(), s.dtype.ptr()};
  s.kept = owned(PyObject_Vectorcall(empty_.ptr(), arguments, 2, nullptr));
  if (PyObject_GetBuffer(s.kept.ptr(), &s.view, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0)
    throw nb::python_error();
  s.has_view = true;
  t.data = s.view.buf;
  t.bytes = static_cast<size_t>(s.view.len);
}

/// What the caller gets of an output.
nb::object session::take(int32_t number) {
  slot &s = outputs_[static_cast<size_t>(number)];
  if (s.is_exact && !s.late)
    return std::move(s.kept);
  cameo_tensor &t = out_[static_cast<size_t>(number)];
  s.dims.resize(CAMEO_MAX_RANK);
  t.dims = s.dims.data();
  code_->check(code_->output(context_, number, &t));
  nb::object shape = owned(PyTuple_New(t.rank));
  int64_t count = 1;
  for (int32_t d = 0; d < t.rank; ++d) {
    count *= s.dims[static_cast<size_t>(d)];
    PyTuple_SetItem(shape.ptr(), d,
                    owned(PyLong_FromLongLong(s.dims[static_cast<size_t>(d)])).release().ptr());
  }
  if (!s.late)
    return arrays_.attr("shorten")(s.kept, shape);
  if (s.port->dtype == CAMEO_STRING) {
    nb::list texts;
    const auto *strings = static_cast<const cameo_string *>(t.data);
    for (int64_t k = 0; k < count; ++k)
      texts.append(owned(PyBytes_FromStringAndSize(strings[k].size ? strings[k].data : "",
                                                   static_cast<Py_ssize_t>(strings[k].size))));
    return arrays_.attr("make_strings")(texts, shape);
  }
  const size_t bytes =
      (static_cast<size_t>(count) * static_cast<size_t>(code_->dtype_bits(s.port->dtype)) + 7) / 8;
  late_memory *memory = s.late.release();
  nb::capsule owner(memory, [](void *p) noexcept { delete static_cast<late_memory *>(p); });
  // Nothing may be bound for an output without elements.
  static uint8_t nothing;
  nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>> image(memory->data ? memory->data : &nothing,
                                                     {bytes}, owner);
  return arrays_.attr("unpack")(nb::cast(image), code_->dtype_name(s.port->dtype), s.dtype, shape);
}

nb::object session::run(nb::handle feeds, nb::handle out) {
  const in_use use(*this);
  read_all(feeds);
  infer();
  const bool has_out = !out.is_none();
  if (has_out && !PyDict_Check(out.ptr()))
    raise_error("INVALID_ARGUMENT",
                "`out` is a dict of arrays by output name; they are " + list_names(outputs_));
  Py_ssize_t used = 0;
  for (size_t k = 0; k < outputs_.size(); ++k) {
    PyObject *value =
        has_out ? PyDict_GetItemWithError(out.ptr(), outputs_[k].name.ptr()) : nullptr;
    if (!value && PyErr_Occurred())
      throw nb::python_error();
    used += value != nullptr;
    if (value)
      write_into(static_cast<int32_t>(k), value);
    else
      allocate(static_cast<int32_t>(k));
  }
  if (has_out && used != PyDict_Size(out.ptr()))
    raise_error("INVALID_ARGUMENT",
                "`out` names what is no output; they are " + list_names(outputs_));
  cameo_status status;
  {
    nb::gil_scoped_release released;
    status = code_->model->run(context_, in_.data(), static_cast<int32_t>(in_.size()), out_.data(),
                               static_cast<int32_t>(out_.size()), nullptr);
    if (status.code == CAMEO_OK)
      status = code_->finish(context_);
  }
  code_->check(status);
  nb::object results = owned(PyDict_New());
  for (size_t k = 0; k < outputs_.size(); ++k) {
    nb::object result = take(static_cast<int32_t>(k));
    if (PyDict_SetItem(results.ptr(), outputs_[k].name.ptr(), result.ptr()) != 0)
      throw nb::python_error();
  }
  return results;
}

nb::dict session::counters() const {
  cameo_counters told{};
  code_->check(code_->counters(context_, &told));
  nb::dict counters;
  counters["h2d"] = told.h2d;
  counters["d2h"] = told.d2h;
  counters["d2h_outputs"] = told.d2h_outputs;
  counters["repacks"] = told.repacks;
  counters["host_copies"] = told.host_copies;
  counters["host_allocs"] = told.host_allocs;
  counters["blocking_syncs"] = told.blocking_syncs;
  counters["launches"] = told.launches;
  return counters;
}

// ---- Descriptions ------------------------------------------------------------------------------

/// (name, dtype, dims, kind): an extent is a number where it is one value, text otherwise.
nb::list list_ports(const library &code, const cameo_port *ports, int32_t count) {
  constexpr const char *kinds[] = {"tensor", "sequence", "optional", "map"};
  nb::list list;
  for (int32_t k = 0; k < count; ++k) {
    const cameo_port &port = ports[k];
    nb::list dims;
    for (int32_t d = 0; d < port.rank; ++d) {
      const cameo_dim &dim = port.dims[d];
      // `--dim n=4` makes a range of one value.
      if (dim.kind <= CAMEO_DIM_RANGE && dim.min == dim.max)
        dims.append(dim.min);
      else
        dims.append(dim.text ? nb::object(nb::str(dim.text)) : nb::none());
    }
    const bool is_tensor = port.kind == CAMEO_TENSOR;
    list.append(
        nb::make_tuple(port.name, is_tensor ? code.dtype_name(port.dtype) : "",
                       is_tensor && port.rank >= 0 ? nb::object(nb::tuple(dims)) : nb::none(),
                       kinds[port.kind], (port.flags & CAMEO_PORT_DEFAULT) != 0));
  }
  return list;
}

/// What a run on inputs of these extents needs, by input name.
nb::dict memory_of(const library &code, nb::dict shapes) {
  const auto count = static_cast<size_t>(code.model->input_count);
  std::vector<std::vector<int64_t>> dims(count);
  std::vector<cameo_tensor> in(count);
  size_t used = 0;
  for (size_t k = 0; k < count; ++k) {
    const cameo_port &port = code.model->inputs[k];
    in[k].space = CAMEO_SPACE_NULL;
    in[k].dtype = port.dtype;
    in[k].kind = port.kind;
    if (!shapes.contains(port.name)) {
      if ((port.flags & CAMEO_PORT_DEFAULT) == 0)
        raise_error("INVALID_ARGUMENT",
                    std::string("'") + port.name + "' is an input whose shape was not given", "",
                    port.name);
      continue;
    }
    ++used;
    for (nb::handle extent : shapes[port.name])
      dims[k].push_back(nb::cast<int64_t>(extent));
    in[k].dims = dims[k].data();
    in[k].rank = static_cast<int32_t>(dims[k].size());
  }
  if (used != shapes.size())
    raise_error("INVALID_ARGUMENT", "a shape names what is no input");
  cameo_memory needs{};
  code.check(code.model->memory(in.data(), static_cast<int32_t>(count), &needs));
  nb::dict result;
  result["host_arena"] = needs.host_arena;
  result["device_arena"] = needs.device_arena;
  result["weights"] = needs.weights;
  result["alignment"] = needs.alignment;
  result["peak_bytes"] = needs.peak_bytes;
  result["peak_tensor"] = needs.peak_tensor ? nb::object(nb::str(needs.peak_tensor)) : nb::none();
  result["late_symbols"] = needs.late_symbols;
  return result;
}

} // namespace

NB_MODULE(_core, m) {
  nb::class_<library>(m, "Library")
      .def(nb::init<const std::string &, const std::string &>(), nb::arg("path"), nb::arg("name"))
      .def_prop_ro("name", [](const library &l) { return l.model->name; })
      .def_prop_ro("target", [](const library &l) { return l.model->target_name; })
      .def_prop_ro("compiler", [](const library &l) { return l.model->compiler; })
      .def("inputs",
           [](const library &l) { return list_ports(l, l.model->inputs, l.model->input_count); })
      .def("outputs",
           [](const library &l) { return list_ports(l, l.model->outputs, l.model->output_count); })
      .def("memory", memory_of, nb::arg("shapes"));
  nb::class_<session>(m, "Session")
      .def(nb::init<std::shared_ptr<library>, int32_t, nb::handle>(), nb::arg("library"),
           nb::arg("threads"), nb::arg("executor").none())
      .def(
          "run", &session::run, nb::arg("feeds"), nb::arg("out") = nb::none(),
          "Runs the model on a dict of arrays by input name; returns one by output name. `out` has "
          "arrays that outputs are written into.")
      .def_prop_ro("counters", &session::counters);
}
