# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model compiled by a cameo, in a shared library that is called in this process as a C program would."""
import ctypes
import functools
import subprocess

import onnx

# As cameo bench builds: for this machine.
FLAGS = ["-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
         "-fno-exceptions", "-fno-rtti", "-pthread", "-fPIC", "-shared"]


class Tensor(ctypes.Structure):
    """cameo_tensor of abi.h."""
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.c_void_p), ("rank", ctypes.c_int32), ("dtype", ctypes.c_int32),
                ("space", ctypes.c_int32), ("kind", ctypes.c_int32), ("ready", ctypes.c_void_p),
                ("done", ctypes.c_void_p), ("bind", ctypes.c_void_p), ("user", ctypes.c_void_p)]

    @staticmethod
    def of(array):
        dims = (ctypes.c_int64 * array.ndim)(*array.shape)
        return Tensor(data=array.ctypes.data, bytes=array.nbytes, dims=dims, rank=array.ndim,
                      dtype=onnx.helper.np_dtype_to_tensor_dtype(array.dtype))


class Status(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("node", ctypes.c_int32), ("tensor", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("message", ctypes.c_char_p), ("values", ctypes.c_int64 * 4)]


class Loaded:
    """A library built of a generated folder."""

    def __init__(self, library, folder, name, threads=1):
        code = ctypes.CDLL(str(library))
        create, self.call = getattr(code, f"{name}_create"), getattr(code, f"{name}_run")
        create.restype = self.call.restype = Status
        options = (ctypes.c_int32 * 128)()  # cameo_options; all but the first three are zero
        abi = next(line for line in (folder / "cameo/abi.h").read_text().splitlines()
                   if line.startswith("#define CAMEO_ABI_VERSION"))
        options[0], options[1], options[2] = int(abi.split()[-1].rstrip("u")), 0, threads
        self.context = ctypes.c_void_p()
        self.check(create(options, ctypes.byref(self.context)))

    @staticmethod
    def check(status):
        if status.code:
            raise SystemExit(f"status {status.code}: {status.message}")

    def bind(self, inputs, outputs):
        """Takes the arrays, in the model's order, that run() reads and writes; they must stay."""
        self.arrays = inputs, outputs
        self.inputs = (Tensor * len(inputs))(*map(Tensor.of, inputs))
        self.outputs = (Tensor * len(outputs))(*map(Tensor.of, outputs))
        self.bound = functools.partial(self.call, self.context, self.inputs, len(inputs), self.outputs, len(outputs), None)

    def run(self):
        status = self.bound()
        if status.code:
            self.check(status)


class Compiled(Loaded):
    """A model, compiled and built here."""

    def __init__(self, cameo, model, folder, name, threads=1, compiler="g++", flags=()):
        subprocess.run([cameo, "compile", model, "-o", folder, "--name", name, *flags], check=True,
                       stdout=subprocess.DEVNULL)
        library = folder / "lib.so"
        sources = [str(p) for pattern in (f"{name}.cpp", f"{name}_kernels*.cpp", "*.S", "cameo/host/*.cpp")
                   for p in folder.glob(pattern)]
        subprocess.run([compiler, *FLAGS, f"-I{folder}", f"-Wa,-I{folder}", *sources, "-o", library], check=True)
        super().__init__(library, folder, name, threads)
