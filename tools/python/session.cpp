// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "session.h"

#include "cameo/dlpack.h"

#include <nanobind/ndarray.h>

#include <algorithm>

using namespace cameo_onnx;

namespace {

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

std::string list_names(const std::vector<slot> &slots) {
  std::string text;
  for (const slot &s : slots)
    text += (text.empty() ? "'" : ", '") + text_of(s.name) + "'";
  return text;
}

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

/// The element type of a tensor by DLPack; 0 where ONNX has none.
template <class ARRAY> int32_t dtype_of_dlpack(const ARRAY &array) {
  if (array.dtype().lanes != 1)
    return 0;
  return cameo::dlpack::dtype_of(array.dtype().code, array.dtype().bits);
}

/// Memory as an array that keeps `owner`: NumPy's where NumPy can have it, else one for DLPack.
nb::object export_tensor(const cameo_tensor &tensor, int32_t bits, nb::handle owner) {
  nb::dlpack::dtype dtype{0, static_cast<uint8_t>(bits), 1};
  while (cameo::dlpack::dtype_of(dtype.code, bits) != tensor.dtype)
    ++dtype.code;
  int device = 1;
  while (cameo::dlpack::space_of(device) != tensor.space)
    ++device;
  const std::vector<size_t> shape(tensor.dims, tensor.dims + tensor.rank);
  const bool is_numpy = device == 1 && dtype.code != 4 && dtype.code < 10;
  if (is_numpy)
    return nb::cast(nb::ndarray<nb::numpy>(tensor.data, shape.size(), shape.data(), owner, nullptr,
                                           dtype, device));
  return nb::cast(nb::ndarray<nb::array_api>(tensor.data, shape.size(), shape.data(), owner,
                                             nullptr, dtype, device));
}

nb::object make_shape(const std::vector<int64_t> &numbers, size_t count) {
  nb::object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t k = 0; k < count; ++k)
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(k),
                    owned(PyLong_FromLongLong(numbers[k])).release().ptr());
  return tuple;
}

/// The value of a key; null where there is none.
nb::object look_up(nb::handle dict, nb::handle key) {
  PyObject *value = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (!value && PyErr_Occurred())
    throw nb::python_error();
  return nb::borrow(value);
}

} // namespace

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

// ---- Making one --------------------------------------------------------------------------------

session::session(std::shared_ptr<library> library, int32_t threads, nb::handle executor)
    : code_(std::move(library)), inputs_(static_cast<size_t>(code_->model->input_count)),
      outputs_(static_cast<size_t>(code_->model->output_count)), in_(inputs_.size()),
      out_(outputs_.size()) {
  arrays_ = nb::module_::import_("cameo_onnx._arrays");
  empty_ = nb::module_::import_("numpy").attr("empty");
  for (size_t k = 0; k < inputs_.size(); ++k)
    prepare(inputs_[k], code_->model->inputs[k], in_[k]);
  for (size_t k = 0; k < outputs_.size(); ++k)
    prepare(outputs_[k], code_->model->outputs[k], out_[k]);
  const cameo_options options = make_options(threads, executor);
  cameo_status status;
  {
    nb::gil_scoped_release released;
    status = code_->model->create(&options, &context_);
  }
  code_->check(status);
}

void session::prepare(slot &s, const cameo_port &port, cameo_tensor &tensor) {
  s.port = &port;
  s.tensor = &tensor;
  s.name = owned(PyUnicode_InternFromString(port.name));
  if (port.kind != CAMEO_TENSOR)
    refuse(s, "is a sequence, an optional or a map, which only the C and C++ API take");
  s.dtype = arrays_.attr("native_dtype")(code_->dtype_name(port.dtype));
  s.is_exact = port.rank >= 0;
  for (int32_t d = 0; d < port.rank; ++d)
    s.is_exact &= port.dims[d].kind != CAMEO_DIM_BOUNDED && port.dims[d].kind != CAMEO_DIM_OPEN;
}

cameo_options session::make_options(int32_t threads, nb::handle executor) {
  if (threads < 0)
    raise_error("INVALID_ARGUMENT", "`threads` is how many, or 0 for one a core");
  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  options.threads = threads;
  if (executor.is_none())
    return options;
  if (threads == 0)
    raise_error("INVALID_ARGUMENT",
                "`threads` says into how many pieces work for the executor is cut");
  executor_.submit = nb::getattr(executor, "submit");
  options.executor.user = &executor_;
  options.executor.threads = threads;
  options.executor.parallel = cameo_onnx::executor::parallel;
  return options;
}

void session::refuse(const slot &s, const std::string &why) {
  const std::string name = text_of(s.name);
  raise_error("INVALID_ARGUMENT", "'" + name + "' " + why, "", name);
}

void session::refuse_dtype(const slot &s, int32_t given, const char *what) const {
  refuse(s, std::string("is ") + code_->dtype_name(s.port->dtype) + ", and the " + what + " " +
                (given ? code_->dtype_name(given) : "has elements that ONNX does not have"));
}

// ---- Streams -----------------------------------------------------------------------------------

void session::set_stream(nb::handle stream) {
  stream_ = nullptr;
  has_stream_ = !stream.is_none();
  if (!has_stream_)
    return;
  if (std::string(code_->model->target_name) == "cpu")
    raise_error("INVALID_ARGUMENT", "the model runs on the CPU, which has no streams");
  nb::object handle = nb::borrow(stream);
  int64_t version = 0;
  if (nb::hasattr(stream, "__cuda_stream__")) {
    nb::object told = stream.attr("__cuda_stream__")();
    version = nb::cast<int64_t>(told[0]);
    handle = told[1];
  }
  uintptr_t number = 0;
  if (version != 0 || !nb::try_cast(handle, number))
    raise_error(
        "INVALID_ARGUMENT",
        "`stream` is the number of a CUDA stream, or what has `__cuda_stream__`, version 0");
  stream_ = reinterpret_cast<void *>(number);
}

template <class ARRAY> bool session::import_tensor(nb::handle value, ARRAY &array) const {
  if (!has_stream_ || !nb::hasattr(value, "__dlpack_device__"))
    return nb::try_cast(value, array);
  nb::object device = value.attr("__dlpack_device__")();
  const int32_t space = cameo::dlpack::space_of(nb::cast<int>(nb::int_(nb::object(device[0]))));
  if (space != CAMEO_SPACE_DEVICE && space != CAMEO_SPACE_MANAGED)
    return nb::try_cast(value, array);
  // DLPack calls the default stream 1.
  const uintptr_t number = stream_ ? reinterpret_cast<uintptr_t>(stream_) : 1;
  return nb::try_cast(value.attr("__dlpack__")(nb::arg("stream") = number), array);
}

bool session::is_ordered() const {
  bool ordered = has_stream_;
  for (const slot &s : outputs_)
    ordered &= s.is_exact && !s.late && s.tensor->space != CAMEO_SPACE_HOST;
  return ordered;
}

void session::hold() {
  for (std::vector<slot> *side : {&inputs_, &outputs_})
    for (slot &s : *side) {
      if (s.has_view)
        held_.push_back(owned(PyMemoryView_FromObject(s.view.obj)));
      if (s.kept.is_valid())
        held_.push_back(s.kept);
      if (!s.strings.empty())
        held_strings_.push_back(std::move(s.strings));
    }
}

void session::let_go() {
  held_.clear();
  held_strings_.clear();
}

void session::finish() {
  const in_use use(*this);
  cameo_status status;
  {
    nb::gil_scoped_release released;
    status = code_->finish(context_);
  }
  let_go();
  code_->check(status);
}

// ---- Inputs ------------------------------------------------------------------------------------

void session::read_all(nb::handle feeds) {
  if (!PyDict_Check(feeds.ptr()))
    raise_error("INVALID_ARGUMENT",
                "run takes a dict of arrays by input name; they are " + list_names(inputs_));
  Py_ssize_t used = 0;
  for (slot &s : inputs_) {
    nb::object value = look_up(feeds, s.name);
    if (value.is_valid()) {
      ++used;
      read(s, value);
      continue;
    }
    if ((s.port->flags & CAMEO_PORT_DEFAULT) == 0) {
      refuse_unknown(feeds);
      refuse(s, "is an input that was not given");
    }
    s.dims.clear();
    s.start().space = CAMEO_SPACE_NULL;
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

void session::read(slot &s, nb::handle value) {
  if (s.port->dtype == CAMEO_STRING)
    return read_strings(s, value);
  if (s.dtype.is_none()) {
    nb::object packed = arrays_.attr("pack")(value, code_->dtype_name(s.port->dtype), s.name);
    return packed.is_none() ? read_dlpack(s, value) : read_packed(s, packed);
  }
  if (read_buffer(s, value))
    return;
  s.kept = arrays_.attr("make_dense")(value, s.dtype, s.name);
  if (s.kept.is_none() || !read_buffer(s, s.kept))
    read_dlpack(s, value);
}

/// Takes a buffer as it lies; false where it has none that a run can read.
bool session::read_buffer(slot &s, nb::handle value) {
  if (!s.acquire(value, PyBUF_STRIDES | PyBUF_FORMAT))
    return false;
  const Py_buffer &view = s.view;
  const int32_t dtype = dtype_of(view);
  if (dtype == 0 || view.ndim > CAMEO_MAX_RANK) {
    s.release();
    return false;
  }
  if (dtype != s.port->dtype)
    refuse_dtype(s, dtype, "array given");
  s.dims.assign(view.shape, view.shape + view.ndim);
  cameo_tensor &t = s.start();
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
    s.release();
    return false;
  }
  t.strides = s.strides.data();
  t.bytes = static_cast<size_t>(span * view.itemsize);
  return true;
}

/// Bytes as ONNX packs them, behind the extents that they stand for.
void session::read_packed(slot &s, nb::handle packed) {
  s.set_dims(packed[0]);
  s.kept = packed[1];
  if (!s.acquire(s.kept, PyBUF_SIMPLE))
    refuse(s, "was packed into what is no buffer");
  cameo_tensor &t = s.start();
  t.data = s.view.buf;
  t.bytes = static_cast<size_t>(s.view.len);
}

void session::read_dlpack(slot &s, nb::handle value) {
  nb::ndarray<nb::ro> array;
  if (!import_tensor(value, array))
    refuse(s, "takes an array, by the buffer protocol or DLPack, and was given an object of type " +
                  text_of(nb::getattr(value.type(), "__name__")));
  const int32_t dtype = dtype_of_dlpack(array);
  const int32_t space = cameo::dlpack::space_of(array.device_type());
  if (dtype != s.port->dtype)
    refuse_dtype(s, dtype, "tensor given");
  if (space < 0 || (s.port->spaces >> space & 1) == 0)
    refuse(s, "got memory of a device that this model does not run on");
  s.dims.assign(array.shape_ptr(), array.shape_ptr() + array.ndim());
  s.strides.assign(array.stride_ptr(), array.stride_ptr() + array.ndim());
  cameo_tensor &t = s.start();
  const int64_t span = cameo::dlpack::span_of(t.dims, s.strides.data(), t.rank);
  if (span < 0)
    refuse(s, "got strides that no run can read");
  t.space = space;
  t.data = const_cast<void *>(array.data());
  t.bytes = static_cast<size_t>((span * array.dtype().bits + 7) / 8);
  t.strides = s.strides.data();
  s.kept = nb::capsule(new nb::ndarray<nb::ro>(std::move(array)),
                       [](void *p) noexcept { delete static_cast<nb::ndarray<nb::ro> *>(p); });
}

void session::read_strings(slot &s, nb::handle value) {
  s.kept = arrays_.attr("flatten_strings")(value, s.name);
  s.set_dims(s.kept[0]);
  for (nb::handle text : nb::object(s.kept[1])) {
    char *data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(text.ptr(), &data, &size) != 0)
      throw nb::python_error();
    s.strings.push_back({data, static_cast<size_t>(size)});
  }
  cameo_tensor &t = s.start();
  t.data = s.strings.data();
  t.bytes = s.strings.size() * sizeof(cameo_string);
}

// ---- Outputs -----------------------------------------------------------------------------------

void session::infer() {
  for (slot &s : outputs_) {
    s.dims.assign(s.port->rank < 0 ? CAMEO_MAX_RANK : static_cast<size_t>(s.port->rank), -1);
    s.start().rank = s.port->rank;
  }
  code_->check(code_->model->infer_shapes(in_.data(), static_cast<int32_t>(in_.size()), out_.data(),
                                          static_cast<int32_t>(out_.size())));
}

void session::bind_all(nb::handle out) {
  const bool has_out = !out.is_none();
  if (has_out && !PyDict_Check(out.ptr()))
    raise_error("INVALID_ARGUMENT",
                "`out` is a dict of arrays by output name; they are " + list_names(outputs_));
  Py_ssize_t used = 0;
  for (slot &s : outputs_) {
    nb::object value = has_out ? look_up(out, s.name) : nb::object();
    if (!value.is_valid()) {
      allocate(s);
      continue;
    }
    ++used;
    write_into(s, value);
  }
  if (has_out && used != PyDict_Size(out.ptr()))
    raise_error("INVALID_ARGUMENT",
                "`out` names what is no output; they are " + list_names(outputs_));
}

void session::write_into(slot &s, nb::handle value) {
  s.kept = nb::borrow(value);
  if (s.dtype.is_none()) {
    // Its bytes, where NumPy has the array, but no buffer of such elements.
    nb::object image = arrays_.attr("view_bytes")(value, code_->dtype_name(s.port->dtype), s.name);
    if (image.is_none())
      return write_into_dlpack(s, value);
    if (!s.acquire(image, PyBUF_STRIDES | PyBUF_WRITABLE))
      refuse(s, "needs an array in `out` that can be written");
    return write_into_buffer(s);
  }
  if (!s.acquire(value, PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE))
    return write_into_dlpack(s, value);
  if (const int32_t dtype = dtype_of(s.view); dtype != s.port->dtype)
    refuse_dtype(s, dtype, "array in `out`");
  write_into_buffer(s);
}

void session::write_into_buffer(slot &s) {
  if (!PyBuffer_IsContiguous(&s.view, 'C'))
    refuse(s, "needs an array in `out` whose elements lie one behind the other");
  cameo_tensor &t = *s.tensor;
  if (s.is_exact &&
      (s.view.ndim != t.rank || !std::equal(s.dims.begin(), s.dims.end(), s.view.shape)))
    refuse(s, "has other extents than the array in `out`");
  t.data = s.view.buf;
  t.bytes = static_cast<size_t>(s.view.len);
}

void session::write_into_dlpack(slot &s, nb::handle value) {
  nb::ndarray<> array;
  if (!import_tensor(value, array))
    refuse(s, "needs an array in `out` that can be written");
  if (const int32_t dtype = dtype_of_dlpack(array); dtype != s.port->dtype)
    refuse_dtype(s, dtype, "tensor in `out`");
  const int32_t space = cameo::dlpack::space_of(array.device_type());
  if (space < 0 || (s.port->spaces >> space & 1) == 0)
    refuse(s, "cannot be written to memory of that device");
  int64_t dense = 1;
  for (size_t d = array.ndim(); d-- > 0;) {
    if (array.shape(d) > 1 && array.stride(d) != dense)
      refuse(s, "needs a tensor in `out` whose elements lie one behind the other");
    dense *= static_cast<int64_t>(array.shape(d));
  }
  cameo_tensor &t = *s.tensor;
  if (s.is_exact && (array.ndim() != s.dims.size() ||
                     !std::equal(s.dims.begin(), s.dims.end(), array.shape_ptr())))
    refuse(s, "has other extents than the tensor in `out`");
  t.space = space;
  t.data = array.data();
  t.bytes = array.nbytes();
}

void session::allocate(slot &s) {
  cameo_tensor &t = *s.tensor;
  if (!s.is_exact || s.dtype.is_none()) {
    s.late = std::make_unique<late_memory>();
    t.bind = late_memory::bind;
    t.user = s.late.get();
    return;
  }
  if (!s.last_shape.is_valid() || s.last_dims != s.dims) {
    s.last_shape = make_shape(s.dims, s.dims.size());
    s.last_dims = s.dims;
  }
  PyObject *arguments[] = {s.last_shape.ptr(), s.dtype.ptr()};
  s.kept = owned(PyObject_Vectorcall(empty_.ptr(), arguments, 2, nullptr));
  if (!s.acquire(s.kept, PyBUF_SIMPLE | PyBUF_WRITABLE))
    refuse(s, "cannot be written into what NumPy has allocated");
  t.data = s.view.buf;
  t.bytes = static_cast<size_t>(s.view.len);
}

nb::object session::take(slot &s, int32_t number) {
  if (s.is_exact && !s.late)
    return std::move(s.kept);
  cameo_tensor &t = *s.tensor;
  s.dims.resize(CAMEO_MAX_RANK);
  t.dims = s.dims.data();
  code_->check(code_->output(context_, number, &t));
  const auto rank = static_cast<size_t>(t.rank);
  nb::object shape = make_shape(s.dims, rank);
  if (!s.late)
    return arrays_.attr("shorten")(s.kept, shape);
  int64_t count = 1;
  for (size_t d = 0; d < rank; ++d)
    count *= s.dims[d];
  return take_late(s, shape, count);
}

nb::object session::take_late(slot &s, nb::handle shape, int64_t count) {
  if (s.port->dtype == CAMEO_STRING) {
    nb::list texts;
    const auto *strings = static_cast<const cameo_string *>(s.tensor->data);
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

// ---- Runs --------------------------------------------------------------------------------------

nb::object session::run(nb::handle feeds, nb::handle out, nb::handle stream) {
  const in_use use(*this);
  if (!held_.empty()) {
    const cameo_status before = code_->poll(context_);
    if (before.code != CAMEO_NOT_READY) {
      let_go();
      code_->check(before);
    }
  }
  set_stream(stream);
  read_all(feeds);
  infer();
  bind_all(out);
  execute();
  nb::object results = owned(PyDict_New());
  for (size_t k = 0; k < outputs_.size(); ++k) {
    nb::object result = take(outputs_[k], static_cast<int32_t>(k));
    if (PyDict_SetItem(results.ptr(), outputs_[k].name.ptr(), result.ptr()) != 0)
      throw nb::python_error();
  }
  return results;
}

void session::execute() {
  const bool ordered = is_ordered();
  cameo_status status;
  {
    nb::gil_scoped_release released;
    status = code_->model->run(context_, in_.data(), static_cast<int32_t>(in_.size()), out_.data(),
                               static_cast<int32_t>(out_.size()), stream_);
    if (status.code == CAMEO_OK && !ordered)
      status = code_->finish(context_);
  }
  if (ordered)
    hold();
  else
    let_go();
  code_->check(status);
}

nb::object session::lend(nb::handle self, const std::string &name,
                         const std::vector<int64_t> &shape) {
  const in_use use(*this);
  int32_t number = 0;
  slot *found = nullptr;
  for (std::vector<slot> *side : {&inputs_, &outputs_})
    for (slot &s : *side) {
      if (!found && name == s.port->name)
        found = &s;
      number += found ? 0 : 1;
    }
  if (!found)
    raise_error("INVALID_ARGUMENT", "there is no input or output '" + name + "'; they are " +
                                        list_names(inputs_) + " and " + list_names(outputs_));
  slot &s = *found;
  s.dims = shape;
  cameo_tensor tensor = s.start();
  const int32_t bits = code_->dtype_bits(tensor.dtype);
  const int64_t count = cameo::dlpack::span_of(tensor.dims, nullptr, tensor.rank);
  if (tensor.dtype == CAMEO_STRING || count < 0 || count > INT64_MAX / 1024)
    refuse(s, "cannot be lent as an array of these extents");
  // It would be other memory then, and what was lent before would be gone.
  const int64_t bytes = (count * bits + 7) / 8;
  if (s.lent_bytes >= 0 && bytes > s.lent_bytes)
    refuse(s, "was lent with " + std::to_string(s.lent_bytes) + " bytes before, fewer than these " +
                  std::to_string(bytes) + ": ask for the most first, or of another session");
  code_->check(code_->buffer(context_, number, &tensor));
  s.lent_bytes = std::max(s.lent_bytes, bytes);
  return export_tensor(tensor, bits, self);
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
