#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of this folder, by scikit-learn 1.9 and skl2onnx 1.20: make.py [NAME...]. They are made once and kept, with rows
of data beside each: NAME.onnx and NAME.npz, or NAME.pb where the features are strings."""
import sys
import warnings
from pathlib import Path

import numpy as np
from onnx import numpy_helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification, make_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, RobustScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, OneClassSVM

HERE = Path(__file__).resolve().parent
TYPES = {"f": FloatTensorType, "d": DoubleTensorType, "i": Int64TensorType, "O": StringTensorType}

rng = np.random.default_rng(0)
x, three = make_classification(120, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
_, two = make_classification(120, 5, n_informative=3, random_state=1)
targets_x, targets = make_regression(80, 5, n_targets=3, noise=1.0, random_state=0)
numbers, names = np.array([10, -4, 7])[three], np.array(["low", "mid", "höh"], object)[three]
answers = np.array(["no", "yes"], object)[two]
missing = np.where(rng.random(x.shape) < 0.15, np.nan, x).astype(np.float32)
colours = rng.choice(np.array(["red", "green", "blue"], object), (60, 2))
floats, counts, singles = x.astype(np.float32), np.rint(x * 10).astype(np.int64), targets_x.astype(np.float32)

# By name: the estimator, features, labels, and whether probabilities are a list of dicts; None where there are none.
MODELS = {
    "logistic": (LogisticRegression(), floats, answers, True),
    "logistic_of_three": (LogisticRegression(), floats, numbers, True),
    "logistic_of_doubles": (LogisticRegression(), x, names, False),
    "one_against_rest": (OneVsRestClassifier(LogisticRegression()), floats, numbers, False),
    "one_against_one": (OneVsOneClassifier(LogisticRegression()), floats, numbers, False),
    "sgd": (SGDClassifier(loss="log_loss", random_state=0), floats, names, False),
    "linear_svc": (LinearSVC(), floats, names, None),
    "svc": (SVC(), floats, numbers, False),
    "svc_probabilities": (SVC(probability=True, random_state=0), floats, names, True),
    "svc_of_two": (SVC(probability=True, kernel="poly", random_state=0), floats, answers, False),
    "svr": (SVR(), singles, targets[:, 0], None),
    "one_class": (OneClassSVM(), floats, None, None),
    "calibrated": (CalibratedClassifierCV(LinearSVC(), cv=2), floats, numbers, False),
    "linear_regression": (LinearRegression(), singles, targets, None),
    "imputed_and_scaled": (make_pipeline(SimpleImputer(), RobustScaler(), LogisticRegression()), missing, names, True),
    "scaled_integers": (make_pipeline(StandardScaler(), LogisticRegression()), counts, numbers, False),
    "bins": (make_pipeline(KBinsDiscretizer(3, encode="onehot-dense"), LogisticRegression()), floats, numbers, False),
    "one_hot_strings": (make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()), colours, two[:60], True),
    "neighbours": (KNeighborsClassifier(3), floats[:40], names[:40], False),
    "bayes": (GaussianNB(), floats, names, False),
}


def make(name):
    estimator, features, labels, zipmap = MODELS[name]
    estimator.fit(features, labels)
    options = None if zipmap is None else {id(estimator): {"zipmap": zipmap}}
    types = [("X", TYPES[features.dtype.kind if features.dtype != np.float64 else "d"]([None, features.shape[1]]))]
    model = to_onnx(estimator, initial_types=types, options=options, target_opset={"": 17, "ai.onnx.ml": 3})
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())
    if features.dtype == object:
        (HERE / f"{name}.pb").write_bytes(numpy_helper.from_array(features[:20], "X").SerializeToString())
    else:
        np.savez(HERE / f"{name}.npz", X=features[:20])


warnings.filterwarnings("ignore")
for each in sys.argv[1:] or MODELS:
    make(each)
