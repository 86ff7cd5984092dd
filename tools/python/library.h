// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared library of one model, loaded, and its C API; and how an error becomes an exception of
// the package.
#pragma once

#include "cameo/abi.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <dlfcn.h>
#include <memory>
#include <string>

namespace cameo_onnx {

namespace nb = nanobind;

/// Raises cameo_onnx.Error.
[[noreturn]] void raise_error(const char *code, const std::string &message,
                              const std::string &node = "", const std::string &tensor = "");

/// Takes over what a call of Python's C API returns; if that is null, goes on with what it raised.
inline nb::object owned(PyObject *object) {
  if (!object)
    throw nb::python_error();
  return nb::steal(object);
}

class library {
public:
  /// `name` is that of the model, or "" for one that exports `cameo_describe`.
  library(const std::string &path, const std::string &name);

  void check(const cameo_status &status) const {
    if (status.code != CAMEO_OK)
      raise(status);
  }
  /// (name, dtype, dims, kind, optional) of each: an extent is a number where it is one value.
  nb::list list_inputs() const { return list_ports(model->inputs, model->input_count); }
  nb::list list_outputs() const { return list_ports(model->outputs, model->output_count); }
  /// The memory of a run on inputs of these extents, by input name.
  nb::dict memory(nb::dict shapes) const;

private:
  struct close {
    void operator()(void *handle) const { dlclose(handle); }
  };
  std::unique_ptr<void, close> handle_;

public:
  const cameo_model *model = nullptr;
  decltype(&cameo_finish) finish = nullptr;
  decltype(&cameo_poll) poll = nullptr;
  decltype(&cameo_output) output = nullptr;
  decltype(&cameo_buffer) buffer = nullptr;
  decltype(&cameo_counters_of) counters = nullptr;
  decltype(&cameo_code_name) code_name = nullptr;
  decltype(&cameo_dtype_name) dtype_name = nullptr;
  decltype(&cameo_dtype_bits) dtype_bits = nullptr;
  decltype(&cameo_format) format = nullptr;

private:
  template <class FUNCTION> void find(FUNCTION &function, const char *name) {
    function = reinterpret_cast<FUNCTION>(dlsym(handle_.get(), name));
    if (!function)
      raise_error("LOAD_ERROR", std::string("the library has no ") + name +
                                    ": it is none of Cameo's, or does not export its C API");
  }
  [[noreturn]] void raise(const cameo_status &status) const;
  nb::list list_ports(const cameo_port *ports, int32_t count) const;
};

} // namespace cameo_onnx
