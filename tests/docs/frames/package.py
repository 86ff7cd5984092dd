# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

image = np.ones((2, 3, 4, 4), np.float32)
scores = np.zeros((2, 10), np.float32)
# SNIPPET
np.testing.assert_allclose(scores[0], np.linspace(-1, 1, 30, dtype=np.float32).reshape(3, 10).sum(axis=0), rtol=1e-5)
np.testing.assert_array_equal(outputs["scores"], scores)
np.testing.assert_array_equal(future.result()["scores"], scores)
