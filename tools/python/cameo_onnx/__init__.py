# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cameo from Python: compile an ONNX model for this machine, and run it on arrays.

    model = cameo_onnx.compile("net.onnx")
    outputs = model.session().run({"image": image})
"""
from ._errors import Error
from ._inference_session import InferenceSession, NodeArg, SessionOptions, get_available_providers
from ._model import Memory, Model, Port, Session, compile, load

__version__ = "0.1.0"
__all__ = ["Error", "InferenceSession", "Memory", "Model", "NodeArg", "Port", "Session", "SessionOptions", "compile",
           "get_available_providers", "load"]
