// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "library.h"

#include <vector>

using namespace cameo_onnx;

void cameo_onnx::raise_error(const char *code, const std::string &message, const std::string &node,
                             const std::string &tensor) {
  nb::object type = nb::module_::import_("cameo_onnx._errors").attr("Error");
  nb::object error = type(message, code, node, tensor);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

library::library(const std::string &path, const std::string &name)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_)
    raise_error("LOAD_ERROR", dlerror());
  const cameo_model *(*describe)() = nullptr;
  find(describe, (name.empty() ? "cameo_describe" : name + "_describe").c_str());
  model = describe();
  if (model->abi != CAMEO_ABI_VERSION)
    raise_error("LOAD_ERROR", "the library has interface version " + std::to_string(model->abi) +
                                  ", this package " + std::to_string(CAMEO_ABI_VERSION) +
                                  ": build the model again");
  find(finish, "cameo_finish");
  find(poll, "cameo_poll");
  find(output, "cameo_output");
  find(buffer, "cameo_buffer");
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
  const int32_t output_number = status.tensor - model->input_count;
  if (status.tensor >= 0 && output_number < 0)
    tensor = model->inputs[status.tensor].name;
  else if (output_number >= 0 && output_number < model->output_count)
    tensor = model->outputs[output_number].name;
  raise_error(code_name(status.code), text, node, tensor);
}

/// The keys of an output's columns; None where it has none.
static nb::object list_keys(const cameo_port &port) {
  if (port.kind != CAMEO_TENSOR || !port.item)
    return nb::none();
  nb::list keys;
  const cameo_default &values = *port.item->initial;
  for (int64_t k = 0; k < values.dims[0]; ++k)
    if (port.item->dtype == CAMEO_STRING) {
      const auto &text = static_cast<const cameo_string *>(values.data)[k];
      keys.append(nb::str(text.data, text.size));
    } else {
      keys.append(static_cast<const int64_t *>(values.data)[k]);
    }
  return nb::tuple(keys);
}

nb::list library::list_ports(const cameo_port *ports, int32_t count) const {
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
        nb::make_tuple(port.name, is_tensor ? dtype_name(port.dtype) : "",
                       is_tensor && port.rank >= 0 ? nb::object(nb::tuple(dims)) : nb::none(),
                       kinds[port.kind], (port.flags & CAMEO_PORT_DEFAULT) != 0, list_keys(port)));
  }
  return list;
}

nb::dict library::memory(nb::dict shapes) const {
  const auto count = static_cast<size_t>(model->input_count);
  std::vector<std::vector<int64_t>> dims(count);
  std::vector<cameo_tensor> in(count);
  size_t used = 0;
  for (size_t k = 0; k < count; ++k) {
    const cameo_port &port = model->inputs[k];
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
    for (nb::handle extent : shapes[port.name]) {
      int64_t value = 0;
      if (!nb::try_cast(extent, value))
        raise_error("INVALID_ARGUMENT",
                    std::string("the shape of '") + port.name + "' is made of integers", "",
                    port.name);
      dims[k].push_back(value);
    }
    in[k].dims = dims[k].data();
    in[k].rank = static_cast<int32_t>(dims[k].size());
  }
  if (used != shapes.size())
    raise_error("INVALID_ARGUMENT", "a shape names what is no input");
  cameo_memory needs{};
  check(model->memory(in.data(), static_cast<int32_t>(count), &needs));
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
