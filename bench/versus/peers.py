# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime and OpenVINO as fast as they go on so many threads: all optimisations, float32, arrays bound once, so that a
run copies nothing and takes one call of Python's."""
import importlib.metadata
import importlib.util
import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto


LEVELS = onnxruntime.GraphOptimizationLevel


def open_session(model, threads, level):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = level
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def reference(model, inputs):
    """What the model says as it is written, by ONNX Runtime without its optimisations: outputs by the model's order."""
    return open_session(model, 1, LEVELS.ORT_DISABLE_ALL).run(None, inputs)


def element_type(array):
    """As ONNX Runtime takes it: numpy's own type, or ONNX's number."""
    return TensorProto.BFLOAT16 if array.dtype.name == "bfloat16" else array.dtype


class OnnxRuntime:
    name = f"ONNX Runtime {onnxruntime.__version__}"

    def __init__(self, model, threads):
        self.session = open_session(model, threads, LEVELS.ORT_ENABLE_ALL)

    def bind(self, inputs, outputs):
        self.binding = self.session.io_binding()
        for port, array in zip(self.session.get_inputs(), inputs):
            self.binding.bind_input(port.name, "cpu", 0, element_type(array), array.shape, array.ctypes.data)
        for port, array in zip(self.session.get_outputs(), outputs):
            self.binding.bind_output(port.name, "cpu", 0, element_type(array), array.shape, array.ctypes.data)
        self.arrays = inputs, outputs

    def run(self):
        self.session.run_with_iobinding(self.binding)


def allows_bytes(model):
    """Whether rows of products by matrices of few bits may be rounded to bytes: by accuracy_level, which ONNX Runtime heeds."""
    nodes = onnx.load(model, load_external_data=False).graph.node
    return any(attribute.name == "accuracy_level" and attribute.i == 4 for node in nodes for attribute in node.attribute)


class OpenVino:
    name = "OpenVINO " + importlib.metadata.version("openvino") if importlib.util.find_spec("openvino") else ""

    def __init__(self, model, threads):
        import openvino
        config = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": "1", "INFERENCE_NUM_THREADS": str(threads),
                  "INFERENCE_PRECISION_HINT": "f32"}
        if not allows_bytes(model):  # OpenVINO takes the liberty
            config["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = "0"
        self.openvino = openvino
        self.request = openvino.Core().compile_model(str(model), "CPU", config).create_infer_request()

    def bind(self, inputs, outputs):
        for number, array in enumerate(inputs):
            self.request.set_input_tensor(number, self.tensor(array))
        for number, array in enumerate(outputs):
            self.request.set_output_tensor(number, self.tensor(array))
        self.arrays = inputs, outputs

    def tensor(self, array):
        """The array's memory. bfloat16 is no type of numpy's own, so that it is told."""
        if array.dtype.name == "bfloat16":
            return self.openvino.Tensor(array.view(np.uint16), list(array.shape), self.openvino.Type.bf16)
        return self.openvino.Tensor(array, shared_memory=True)

    def run(self):
        self.request.infer()


def installed():
    return [OnnxRuntime] + ([OpenVino] if OpenVino.name else [])


def pin(threads):
    """All threads to come to the first `threads` processors that this process may use."""
    processors = sorted(os.sched_getaffinity(0))[:threads]
    os.sched_setaffinity(0, processors)
    return processors
