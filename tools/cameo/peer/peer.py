# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What another program makes of a model: peer.py REQUEST ANSWER.

Started by `cameo verify --against` in the user's Python. REQUEST is JSON (Peers.cpp writes it); case K has the bytes of its
inputs in K/input_I.bin and gets its outputs as K/output_I.npy, strings as K/output_I.pb. ANSWER gets one line of JSON for what
the peer is, and one behind each case, so that of a peer that crashes all earlier cases are known.
"""
import importlib
import json
import runpy
import sys
from pathlib import Path

# ONNX's numbers of the types that NumPy has; those of its strings, and of bfloat16, which torch has.
NUMPY_TYPES = {1: "<f4", 2: "u1", 3: "i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2", 11: "<f8", 12: "<u4",
               13: "<u8", 14: "<c8", 15: "<c16"}
STRING, BFLOAT16 = 8, 16


class Refusal(Exception):
    """Why there is no answer at all: `package`, `model` or `script`, and a text."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def load_package(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Refusal("package", f"{name}: {error}")


np = None  # NumPy, once it is known to be there.


def dtype_of(number):
    if number in NUMPY_TYPES:
        return np.dtype(NUMPY_TYPES[number])
    return load_package("onnx.helper").tensor_dtype_to_np_dtype(number)


def read_inputs(request, case):
    """By name, in the model's order; what the case leaves out is left out."""
    arrays = {}
    for port in request["inputs"]:
        given = case["inputs"].get(str(port["number"]))
        if given is None:
            continue
        if port["type"] == STRING:
            array = np.array(given["strings"], object)
        else:
            array = np.frombuffer(Path(given["file"]).read_bytes(), dtype_of(port["type"])).copy()
        arrays[port["name"]] = array.reshape(given["dims"])
    return arrays


def onnxruntime_runner(request):
    ort = load_package("onnxruntime")
    options = ort.SessionOptions()
    # What the model says as it is written.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = ort.InferenceSession(request["model"], options, providers=["CPUExecutionProvider"])
    names = [port["name"] for port in request["outputs"]]
    types = {port["name"]: port["type"] for port in request["inputs"]}
    is_foreign = any(port["type"] not in NUMPY_TYPES and port["type"] != STRING
                     for port in request["inputs"] + request["outputs"])

    def run(arrays):
        if not is_foreign:
            return session.run(names, arrays)
        make = ort.OrtValue.ortvalue_from_numpy_with_onnx_type
        return [value.numpy() for value in session.run_with_ort_values(names, {n: make(a, types[n]) for n, a in arrays.items()})]

    return f"onnxruntime {ort.__version__}", run


def reference_runner(request):
    onnx = load_package("onnx")
    evaluator = load_package("onnx.reference").ReferenceEvaluator(request["model"])
    names = [port["name"] for port in request["outputs"]]
    return f"onnx.reference {onnx.__version__}", lambda arrays: evaluator.run(names, arrays)


def torch_runner(request):
    torch = load_package("torch")
    sys.path.insert(0, str(Path(request["script"]).resolve().parent))
    try:
        model = runpy.run_path(request["script"]).get("model")
    except Exception as error:
        raise Refusal("script", describe(error))
    if not callable(model):
        raise Refusal("script", "defines no `model` that can be called")
    if isinstance(model, torch.nn.Module):
        model.eval()

    def to_torch(array):
        is_bfloat16 = array.dtype.name == "bfloat16"
        tensor = torch.from_numpy(array.view(np.int16) if is_bfloat16 else array)
        return tensor.view(torch.bfloat16) if is_bfloat16 else tensor

    def to_numpy(tensor):
        tensor = torch.as_tensor(tensor).detach().cpu().contiguous()
        return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy()

    def flatten(value):
        if isinstance(value, dict):
            value = list(value.values())
        return [part for each in value for part in flatten(each)] if isinstance(value, (tuple, list)) else [value]

    def run(arrays):
        with torch.no_grad():
            result = model(*(to_torch(array) for array in arrays.values()))
        names = [port["name"] for port in request["outputs"]]
        if isinstance(result, dict) and set(names) <= set(result):
            result = [result[name] for name in names]
        return [to_numpy(tensor) for tensor in flatten(result)]

    return f"torch {torch.__version__}", run


RUNNERS = {"onnxruntime": onnxruntime_runner, "reference": reference_runner, "torch": torch_runner}


def varint(number):
    text = bytearray()
    while number > 127:
        text.append(number & 127 | 128)
        number >>= 7
    text.append(number)
    return bytes(text)


def strings_as_pb(array):
    """A TensorProto: dims, data_type, string_data."""
    texts = [text if isinstance(text, bytes) else str(text).encode() for text in array.ravel()]
    return (b"".join(b"\x08" + varint(dim) for dim in array.shape) + b"\x10" + varint(STRING)
            + b"".join(b"\x32" + varint(len(text)) + text for text in texts))


def as_tensor(port, value):
    """A list of maps as the tensor of their values, whose columns have the port's keys."""
    if "keys" not in port or not isinstance(value, list):
        return value
    return np.array([[row[key] for key in port["keys"]] for row in value], np.float32).reshape(len(value), len(port["keys"]))


def write_output(stem, value):
    if isinstance(value, (list, tuple, dict)) or value is None:
        raise TypeError("gives a sequence, a map or nothing where tensors are compared")
    array = np.asarray(value, order="C")
    if array.dtype.kind in "OUS":
        Path(stem + ".pb").write_bytes(strings_as_pb(array))
        return
    # NumPy has no word for the types of ml_dtypes: bits as they are.
    np.save(stem + ".npy", array if array.dtype.kind in "biufc" else array.view(f"u{array.dtype.itemsize}"))


def describe(error):
    return f"{type(error).__name__}: {error}".strip()[:2000]


def answer_case(request, case, run):
    outputs = list(run(read_inputs(request, case)))
    if len(outputs) != len(request["outputs"]):
        raise ValueError(f"gives {len(outputs)} outputs where the model has {len(request['outputs'])}")
    for port, value in zip(request["outputs"], outputs):
        write_output(f"{case['folder']}/output_{port['number']}", as_tensor(port, value))


def main(request_file, answer_file):
    global np
    request = json.loads(Path(request_file).read_text())
    with open(answer_file, "w") as answer:

        def tell(**line):
            answer.write(json.dumps(line) + "\n")
            answer.flush()

        try:
            np = load_package("numpy")
            name, run = RUNNERS[request["kind"]](request)
        except Refusal as refusal:
            return tell(error=refusal.kind, text=str(refusal))
        except Exception as error:  # whatever a runtime throws
            return tell(error="model", text=describe(error))
        tell(peer=name)
        for case in request["cases"]:
            try:
                answer_case(request, case, run)
                tell(problem="")
            except Refusal as refusal:
                return tell(error=refusal.kind, text=str(refusal))
            except Exception as error:
                tell(problem=describe(error))


main(*sys.argv[1:])
