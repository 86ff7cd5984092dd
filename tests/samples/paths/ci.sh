# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An engineer of a pipeline: reports, what a plan is held to, code that stays the same, and a model gone bad that must not pass.
. /paths/common.sh
python_env '' onnx onnxruntime
cp -r /samples/digits good
cp -r /samples/digits bad
step "inspect" cameo inspect good/digits.onnx --supported --json inspect.json
step "verify" cameo verify good/digits.onnx --junit verify.xml --json verify.json
step "hold a plan for a GPU" cameo compile good/digits.onnx -o cuda --target cuda --assert-readbacks 0 --assert-no-sync
step "compile twice" cameo compile good/digits.onnx -o first
step "compare" cameo compile good/digits.onnx -o second
diff -r first second
python - <<'PYTHON'
import onnx, onnx.numpy_helper
model = onnx.load("bad/digits.onnx")
weight = next(one for one in model.graph.initializer if len(one.dims) > 1)
weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight) * 1.5, weight.name))
onnx.save(model, "bad/digits.onnx")
PYTHON
fails() { "$@"; [ $? -eq 8 ]; }
step "verify a bad one" fails cameo verify bad/digits.onnx --junit bad.xml
grep -q '<failure' bad.xml
if grep '<failure' verify.xml >&2; then exit 1; fi
report
