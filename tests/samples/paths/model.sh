# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Someone with a model that PyTorch has exported: from installing the wheel to a number to trust, then to Python.
. /paths/common.sh
python_env '' onnx onnxruntime
cp /samples/digits/digits.onnx model.onnx
step "what is supported" cameo inspect model.onnx --supported
step "verify against ONNX Runtime" cameo verify model.onnx --against onnxruntime --seeds 1
expect passed
cat >use.py <<'PYTHON'
import cameo_onnx, numpy
session = cameo_onnx.compile("model.onnx").session()
images, labels = (numpy.load(f"/samples/digits/{name}.npy") for name in ("images", "labels"))
right = session.run({"image": images.astype(numpy.float32).reshape(-1, 1, 8, 8)})["digit"] == labels
print(f"{right.sum()} of {len(labels)} are right")
assert right.mean() > 0.9
PYTHON
step "run from Python" python use.py
expect "are right"
report
