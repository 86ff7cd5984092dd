# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of onnxruntime's Python that scripts use, on models compiled by Cameo: `import cameo_onnx as onnxruntime`."""
import enum
from dataclasses import dataclass
from typing import Any

from ._errors import Error
from ._model import Port, compile

_TARGETS = {"CPUExecutionProvider": "cpu", "CUDAExecutionProvider": "cuda"}
# What onnxruntime calls element types that have another name here.
_TYPES = {"float32": "float", "float64": "double"}


# By their names and numbers in onnxruntime.
GraphOptimizationLevel = enum.IntEnum("GraphOptimizationLevel", {"ORT_DISABLE_ALL": 0, "ORT_ENABLE_BASIC": 1,
                                                                 "ORT_ENABLE_EXTENDED": 2, "ORT_ENABLE_ALL": 99})
ExecutionMode = enum.IntEnum("ExecutionMode", {"ORT_SEQUENTIAL": 0, "ORT_PARALLEL": 1})


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
    shape: list[Any]

    @staticmethod
    def of(port: Port) -> "NodeArg":
        return NodeArg(port.name, f"tensor({_TYPES.get(port.dtype, port.dtype)})", list(port.dims or ()))


class InferenceSession:
    """Compiles the model when it is made. Threads may run it at once: each has a Session of its own then."""

    def __init__(self, path_or_bytes: Any, sess_options: SessionOptions | None = None, providers: Any = None,
                 provider_options: Any = None, **flags: Any):
        names = [name if isinstance(name, str) else name[0] for name in providers or ["CPUExecutionProvider"]]
        known = [name for name in names if name in _TARGETS]
        if not known:
            raise Error(f"there is no provider {', '.join(names)}; there are {', '.join(_TARGETS)}", "INVALID_ARGUMENT")
        self._provider: str = known[0]
        self._threads = sess_options.intra_op_num_threads if sess_options else 0
        self._model = compile(path_or_bytes, target=_TARGETS[self._provider], **flags)
        self._free = [self._model.session(threads=self._threads)]

    def run(self, output_names: list[str] | None, input_feed: dict[str, Any], run_options: Any = None) -> list[Any]:
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

    def get_inputs(self) -> list[NodeArg]:
        return [NodeArg.of(port) for port in self._model.inputs if not port.optional]

    def get_overridable_initializers(self) -> list[NodeArg]:
        return [NodeArg.of(port) for port in self._model.inputs if port.optional]

    def get_outputs(self) -> list[NodeArg]:
        return [NodeArg.of(port) for port in self._model.outputs]

    def get_providers(self) -> list[str]:
        return [self._provider]


def get_available_providers() -> list[str]:
    return list(_TARGETS)
