// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo_onnx._core: loads the shared library of any one model and calls its C API (cameo/abi.h).
// It knows no model and is built once.
#include "session.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

using namespace cameo_onnx;

namespace {

/// Tells the collector of cycles: an executor may know the session that it works for.
int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    Py_VISIT(nb::inst_ptr<session>(self)->executor().submit.ptr());
  return 0;
}

int clear(PyObject *self) {
  nb::inst_ptr<session>(self)->executor().submit.reset();
  return 0;
}

PyType_Slot session_slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                               {Py_tp_clear, reinterpret_cast<void *>(clear)},
                               {0, nullptr}};

} // namespace

NB_MODULE(_core, m) {
  nb::class_<library>(m, "Library")
      .def(nb::init<const std::string &, const std::string &>(), nb::arg("path"), nb::arg("name"))
      .def_prop_ro("name", [](const library &l) { return l.model->name; })
      .def_prop_ro("target", [](const library &l) { return l.model->target_name; })
      .def_prop_ro("compiler", [](const library &l) { return l.model->compiler; })
      .def("inputs", &library::list_inputs, nb::sig("def inputs(self) -> list[tuple[Any, ...]]"))
      .def("outputs", &library::list_outputs, nb::sig("def outputs(self) -> list[tuple[Any, ...]]"))
      .def("memory", &library::memory, nb::arg("shapes"),
           nb::sig("def memory(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]"));
  nb::class_<session>(m, "Session", nb::type_slots(session_slots))
      .def(nb::init<std::shared_ptr<library>, int32_t, nb::handle>(), nb::arg("library"),
           nb::arg("threads"), nb::arg("executor").none())
      .def(
          "run", &session::run, nb::arg("feeds"), nb::arg("out") = nb::none(),
          nb::arg("stream") = nb::none(),
          nb::sig("def run(self, feeds: dict[str, Any], out: dict[str, Any] | None = None, "
                  "stream: Any = None) -> dict[str, Any]"),
          "Runs the model on a dict of arrays by input name; returns one by output name. `out` has "
          "arrays that outputs are written into. `stream` is a CUDA stream, as a number or by "
          "`__cuda_stream__`, which orders the run: with all outputs in `out` and on the device, "
          "of "
          "extents that the inputs say, nobody waits for it, and an error of it is that of the "
          "next "
          "call.")
      .def("finish", &session::finish, nb::sig("def finish(self) -> None"),
           "Waits for the runs that streams order, and raises what they ended with.")
      .def(
          "lend",
          [](nb::handle self, const std::string &name, const std::vector<int64_t> &shape) {
            return nb::cast<session &>(self).lend(self, name, shape);
          },
          nb::arg("name"), nb::arg("shape"),
          nb::sig("def lend(self, name: str, shape: Sequence[int]) -> Any"),
          "Memory of the session for an input or output, on the side where it costs no copy: an "
          "array of NumPy's, or, on a device, one for from_dlpack. The same at each call.")
      .def_prop_ro("counters", &session::counters, nb::sig("def counters(self) -> dict[str, int]"));
}
