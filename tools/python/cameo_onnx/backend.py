# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cameo behind the interface of onnx.backend: prepare, run_model, run_node, and what onnx.backend.test wants."""
import onnx
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from ._model import compile

_TARGETS = {DeviceType.CPU: "cpu", DeviceType.CUDA: "cuda"}


class CameoRep(BackendRep):
    def __init__(self, model):
        self._model, self._session = model, model.session()

    def run(self, inputs, **kwargs):
        """`inputs`: a dict by name, a list in the model's order, or the one array."""
        if not isinstance(inputs, (dict, list, tuple)):
            inputs = [inputs]
        if not isinstance(inputs, dict):
            inputs = dict(zip((port.name for port in self._model.inputs), inputs))
        outputs = self._session.run(inputs)
        names = [port.name for port in self._model.outputs]
        return namedtupledict("Outputs", names)(*(outputs[name] for name in names))


class CameoBackend(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **flags):
        super().prepare(model, device)
        return CameoRep(compile(model, target=_TARGETS[Device(device).type], **flags))

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **flags):
        super().run_node(node, inputs, device, outputs_info)
        values = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                  for name, array in zip((name for name in node.input if name), inputs)]
        results = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        model = onnx.helper.make_model(onnx.helper.make_graph([node], "node", values, results),
                                       opset_imports=[onnx.helper.make_opsetid(node.domain, flags.pop("opset_version", 21))],
                                       ir_version=10)
        return cls.run_model(onnx.shape_inference.infer_shapes(model), inputs, device, **flags)

    @classmethod
    def supports_device(cls, device):
        return Device(device).type in _TARGETS


prepare = CameoBackend.prepare
run_model = CameoBackend.run_model
run_node = CameoBackend.run_node
supports_device = CameoBackend.supports_device
is_compatible = CameoBackend.is_compatible
