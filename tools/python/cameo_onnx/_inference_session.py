# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of onnxruntime's Python that scripts use, on models compiled by Cameo: `import cameo_onnx as onnxruntime`."""
from dataclasses import dataclass

from ._errors import Error
from ._model import compile

_TARGETS = {"CPUExecutionProvider": "cpu", "CUDAExecutionProvider": "cuda"}
# What onnxruntime calls element types that have another name here.
_TYPES = {"float32": "float", "float64": "double"}


@dataclass
class SessionOptions:
    """`intra_op_num_threads` counts; the others steer what Cameo does when it compiles, or does not have, and are taken so
    that scripts run as they are."""
    intra_op_num_threads: int = 0
    inter_op_num_threads: int = 0
    graph_optimization_level: object = None
    execution_mode: object = None
    log_severity_level: int = 2
    log_verbosity_level: int = 0
    logid: str = ""
    enable_mem_pattern: bool = True
    enable_mem_reuse: bool = True
    enable_cpu_mem_arena: bool = True
    enable_profiling: bool = False


@dataclass(frozen=True)
class NodeArg:
    name: str
    type: str
    shape: list

    @staticmethod
    def of(port):
        return NodeArg(port.name, f"tensor({_TYPES.get(port.dtype, port.dtype)})", list(port.dims or ()))


class InferenceSession:
    """Compiles the model when it is made. Threads may run it at once: each has a Session of its own then."""

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **flags):
        names = [name if isinstance(name, str) else name[0] for name in providers or ["CPUExecutionProvider"]]
        self._provider = next((name for name in names if name in _TARGETS), None)
        if self._provider is None:
            raise Error(f"there is no provider {', '.join(names)}; there are {', '.join(_TARGETS)}", "INVALID_ARGUMENT")
        self._threads = sess_options.intra_op_num_threads if sess_options else 0
        self._model = compile(path_or_bytes, target=_TARGETS[self._provider], **flags)
        self._free = [self._model.session(threads=self._threads)]

    def run(self, output_names, input_feed, run_options=None):
        names = [port.name for port in self._model.outputs] if output_names is None else output_names
        unknown = set(names) - {port.name for port in self._model.outputs}
        if unknown:
            raise Error(f"there is no output {sorted(unknown)}", "INVALID_ARGUMENT")
        try:
            session = self._free.pop()
        except IndexError:
            session = self._model.session(threads=self._threads)
        try:
            outputs = session.run(input_feed)
        finally:
            self._free.append(session)
        return [outputs[name] for name in names]

    def get_inputs(self):
        return [NodeArg.of(port) for port in self._model.inputs if not port.optional]

    def get_overridable_initializers(self):
        return [NodeArg.of(port) for port in self._model.inputs if port.optional]

    def get_outputs(self):
        return [NodeArg.of(port) for port in self._model.outputs]

    def get_providers(self):
        return [self._provider]


def get_available_providers():
    return list(_TARGETS)
