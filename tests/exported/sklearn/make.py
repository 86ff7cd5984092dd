#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of this folder, by scikit-learn 1.9, skl2onnx 1.20, LightGBM 4.7, XGBoost 3.2 and onnxmltools 1.16: make.py [NAME...].
They are made once and kept, with rows of data beside each: NAME.onnx and NAME.npz, or NAME.pb where the features are strings. Of
each estimator of estimators.py one form is kept, of at most 10 KB; make.py --all FOLDER makes all, of both forms."""
import sys
import warnings
from pathlib import Path

import estimators
import numpy as np
from lightgbm import LGBMClassifier, LGBMRegressor
from onnx import TensorProto, helper, numpy_helper
from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm
from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost
from onnxruntime import InferenceSession, set_default_logger_severity
from skl2onnx import to_onnx, update_registered_converter
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType
from skl2onnx.common.shape_calculator import (calculate_linear_classifier_output_shapes,
                                               calculate_linear_regressor_output_shapes)
from sklearn.base import clone
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
from xgboost import XGBClassifier, XGBRegressor, XGBRFClassifier, XGBRFRegressor

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


def numbered(make_attribute):
    """onnx's make_attribute for lists in which there are booleans, which skl2onnx writes where values are missing."""
    def make(key, value, *rest, **more):
        has_booleans = isinstance(value, list) and bool in map(type, value)
        return make_attribute(key, list(map(int, value)) if has_booleans else value, *rest, **more)

    return make


def register(estimator, convert):
    """An estimator of another library, in whatever is made of those of scikit-learn."""
    shapes, options = calculate_linear_regressor_output_shapes, {}
    if "Classifier" in estimator.__name__:
        shapes, options = calculate_linear_classifier_output_shapes, {"nocl": [True, False], "zipmap": [True, False, "columns"]}
    update_registered_converter(estimator, estimator.__name__, shapes, convert, options=options)


# skl2onnx does not end where a tree of doubles splits at infinity, which is: missing or not.
ENDLESS = ("random_forest_missing_d", "decision_tree_missing_d")


def forms():
    """By name what the rows of estimators.py are as MODELS has it: NAME_f of floats, NAME_d of doubles."""
    for name, (estimator, features) in {**estimators.CLASSIFIERS, **estimators.PIPELINES, **estimators.OF_TWO}.items():
        classes = (estimators.two if name in estimators.OF_TWO else estimators.three)[:len(features)]
        takes_any = not estimator.__class__.__name__.startswith("XGB") and "xgboost" not in name
        yield f"{name}_f", (clone(estimator), features, np.array([10, -4, 7])[classes] if takes_any else classes, True)
        yield f"{name}_d", (clone(estimator), features.astype(np.float64),
                            np.array(["low", "mid", "höh"], object)[classes] if takes_any else classes, False)
    for name, (estimator, features, labels) in {**estimators.REGRESSORS, **estimators.REGRESSING_PIPELINES,
                                                **estimators.TRANSFORMERS}.items():
        yield f"{name}_f", (clone(estimator), features, labels, None)
        yield f"{name}_d", (clone(estimator), features.astype(np.float64), labels, None)


def convert(estimator, types, zipmap):
    opsets = {"": 18, "ai.onnx.ml": 3}
    if zipmap is not None:
        try:
            return to_onnx(estimator, initial_types=types, options={id(estimator): {"zipmap": zipmap}}, target_opset=opsets)
        except NameError:  # an estimator without probabilities
            pass
    return to_onnx(estimator, initial_types=types, target_opset=opsets)


def refusal(model, features):
    """What ONNX Runtime has against a model; empty if it runs."""
    try:
        session = InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        session.run(None, {"X": features[:20]})
    except Exception as problem:  # whose types are the extension's own
        return str(problem)
    return ""


def mended(model, features):
    """A model that ONNX Runtime runs. skl2onnx declares doubles where features are such, even where operators give floats."""
    problem = refusal(model, features)
    if "of output arg" in problem:
        for output in model.graph.output:
            if output.type.tensor_type.elem_type == TensorProto.DOUBLE:
                output.type.tensor_type.elem_type = TensorProto.FLOAT
        problem = refusal(model, features)
    if problem:
        raise ValueError(f"ONNX Runtime: {problem}")
    return model


def make(name, model, folder):
    """Writes a model and its data."""
    estimator, features, labels, zipmap = model
    estimator.fit(features, labels)
    types = [("X", TYPES[features.dtype.kind if features.dtype != np.float64 else "d"]([None, features.shape[1]]))]
    written = mended(convert(estimator, types, zipmap), features)
    (folder / f"{name}.onnx").write_bytes(written.SerializeToString())
    if features.dtype == object:
        (folder / f"{name}.pb").write_bytes(numpy_helper.from_array(features[:20], "X").SerializeToString())
    else:
        np.savez(folder / f"{name}.npz", X=features[:20])


def main():
    every = {**MODELS, **{name: model for name, model in forms() if name not in ENDLESS}}
    if sys.argv[1:2] == ["--all"]:
        folder, names = Path(sys.argv[2]), sys.argv[3:] or every
        folder.mkdir(parents=True, exist_ok=True)
    else:
        folder, names = HERE, sys.argv[1:] or [name for name in every if (HERE / f"{name}.onnx").exists()]
    for name in names:
        if folder != HERE and (folder / f"{name}.onnx").exists():
            continue
        try:
            make(name, every[name], folder)
        except Exception as problem:  # an exporter that cannot: the next one may
            print(f"{name}: {type(problem).__name__}: {str(problem)[:300]}")


warnings.filterwarnings("ignore")
set_default_logger_severity(4)
helper.make_attribute = numbered(helper.make_attribute)
for each in LGBMClassifier, LGBMRegressor:
    register(each, convert_lightgbm)
for each in XGBClassifier, XGBRegressor, XGBRFClassifier, XGBRFRegressor:
    register(each, convert_xgboost)
main()
