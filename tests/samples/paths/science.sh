# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A data scientist: a script changes one import, and a table that is scored into another.
. /paths/common.sh
python_env '[score]'
cat >session.py <<'PYTHON'
import cameo_onnx as onnxruntime
import numpy as np
session = onnxruntime.InferenceSession("/samples/digits/digits.onnx")
images = np.load("/samples/digits/images.npy").astype(np.float32).reshape(-1, 1, 8, 8)
digit, = session.run(["digit"], {session.get_inputs()[0].name: images})
assert (digit == np.load("/samples/digits/labels.npy")).mean() > 0.9
PYTHON
cat >table.py <<'PYTHON'
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
images = np.load("/samples/digits/images.npy").astype(np.float32).reshape(-1, 64)
pixels = pa.FixedSizeListArray.from_arrays(pa.array(np.tile(images, (2000, 1)).reshape(-1)), 64)
pq.write_table(pa.table({"id": np.arange(len(pixels)), "pixels": pixels}), "rows.parquet", row_group_size=10000)
PYTHON
cat >score.py <<'PYTHON'
import cameo_onnx, numpy as np, pyarrow.dataset
cameo_onnx.score("rows.parquet", "/samples/digits/digits.onnx", "scored", {"image": "pixels"}, keep=["id"], outputs=["digit"])
table = pyarrow.dataset.dataset("scored").to_table()
labels = np.load("/samples/digits/labels.npy")
assert table["id"].to_pylist() == list(range(96000))
assert (table["digit"].to_numpy() == np.tile(labels, 2000)).mean() > 0.9
PYTHON
step "the same script" python session.py
step "make a table" python table.py
step "score 96 000 rows" python score.py
report
