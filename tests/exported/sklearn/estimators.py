# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Estimators of scikit-learn, LightGBM and XGBoost by name, and the data that they are fitted to. `make.py` makes a model of each
in two forms: floats, labels that are integers, probabilities as dicts; and doubles, labels that are strings, probabilities as a
tensor."""
import numpy as np
from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
from sklearn import (cluster, cross_decomposition, decomposition, discriminant_analysis, ensemble, feature_selection,
                     gaussian_process, impute, linear_model, mixture, multioutput, naive_bayes, neighbors,
                     neural_network, preprocessing, random_projection, svm, tree)
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification, make_regression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from xgboost import XGBClassifier, XGBRegressor, XGBRFClassifier, XGBRFRegressor

rng = np.random.default_rng(0)
x, three = make_classification(160, 6, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
x = x.astype(np.float32)
targets_x, targets = make_regression(160, 6, n_targets=2, noise=1.0, random_state=0)
targets_x, target = targets_x.astype(np.float32), targets[:, 0] / 50
counts = rng.integers(0, 5, (160, 6)).astype(np.float32)
missing = np.where(rng.random(x.shape) < 0.15, np.nan, x).astype(np.float32)
targets_missing = np.where(rng.random(x.shape) < 0.15, np.nan, targets_x).astype(np.float32)
two = three % 2
few = {"n_estimators": 5, "random_state": 0}
boosted = {"n_estimators": 5, "max_depth": 3}

# Estimator and features; labels are three classes.
CLASSIFIERS = {
    "logistic_cv": (linear_model.LogisticRegressionCV(cv=2), x),
    "ridge_classifier": (linear_model.RidgeClassifier(), x),
    "ridge_classifier_cv": (linear_model.RidgeClassifierCV(), x),
    "perceptron": (linear_model.Perceptron(random_state=0), x),
    "nu_svc": (svm.NuSVC(nu=0.2, kernel="sigmoid"), x),
    "bernoulli_nb": (naive_bayes.BernoulliNB(binarize=0.2), x),
    "multinomial_nb": (naive_bayes.MultinomialNB(), counts),
    "complement_nb": (naive_bayes.ComplementNB(), counts),
    "categorical_nb": (naive_bayes.CategoricalNB(), counts),
    "linear_discriminant": (discriminant_analysis.LinearDiscriminantAnalysis(), x),
    "quadratic_discriminant": (discriminant_analysis.QuadraticDiscriminantAnalysis(), x),
    "neighbours_by_distance": (neighbors.KNeighborsClassifier(4, weights="distance", metric="manhattan"), x[:60]),
    "decision_tree": (tree.DecisionTreeClassifier(max_depth=4, random_state=0), x),
    "extra_tree": (tree.ExtraTreeClassifier(max_depth=4, random_state=0), x),
    "random_forest": (ensemble.RandomForestClassifier(max_depth=4, **few), x),
    "random_forest_missing": (ensemble.RandomForestClassifier(max_depth=4, **few), missing),
    "extra_trees": (ensemble.ExtraTreesClassifier(max_depth=4, **few), x),
    "gradient_boosting": (ensemble.GradientBoostingClassifier(max_depth=2, **few), x),
    "histogram_boosting": (ensemble.HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=6), missing),
    "ada_boost": (ensemble.AdaBoostClassifier(**few), x),
    "bagging": (ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=3), **few), x),
    "voting": (ensemble.VotingClassifier([("a", naive_bayes.GaussianNB()), ("b", linear_model.LogisticRegression())],
                                         voting="soft", flatten_transform=False), x),
    "stacking": (ensemble.StackingClassifier([("a", naive_bayes.GaussianNB()), ("b", tree.DecisionTreeClassifier(max_depth=2))],
                                             cv=2), x),
    "mlp": (neural_network.MLPClassifier((8,), max_iter=60, random_state=0), x),
    "lightgbm": (LGBMClassifier(num_leaves=6, verbose=-1, n_estimators=4), x),
    "lightgbm_missing": (LGBMClassifier(num_leaves=6, verbose=-1, n_estimators=4, boosting_type="dart"), missing),
    "xgboost": (XGBClassifier(**boosted), x),
    "xgboost_missing": (XGBClassifier(**boosted), missing),
    "xgboost_forest": (XGBRFClassifier(**boosted), x),
}
# The same of two labels.
OF_TWO = {
    "random_forest_of_two": (ensemble.RandomForestClassifier(max_depth=3, **few), x),
    "gradient_boosting_of_two": (ensemble.GradientBoostingClassifier(max_depth=2, **few), x),
    "histogram_boosting_of_two": (ensemble.HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=6), missing),
    "ada_boost_of_two": (ensemble.AdaBoostClassifier(**few), x),
    "mlp_of_two": (neural_network.MLPClassifier((8,), activation="tanh", max_iter=60, random_state=0), x),
    "perceptron_of_two": (linear_model.Perceptron(random_state=0), x),
    "lightgbm_of_two": (LGBMClassifier(num_leaves=6, verbose=-1, n_estimators=4), missing),
    "xgboost_of_two": (XGBClassifier(**boosted), missing),
}
# Estimator, features and targets.
REGRESSORS = {
    "ridge": (linear_model.Ridge(), targets_x, targets),
    "ridge_cv": (linear_model.RidgeCV(), targets_x, target),
    "lasso": (linear_model.Lasso(), targets_x, target),
    "lasso_lars": (linear_model.LassoLars(), targets_x, target),
    "lars": (linear_model.Lars(), targets_x, targets),
    "elastic_net": (linear_model.ElasticNet(), targets_x, target),
    "multi_task_lasso": (linear_model.MultiTaskLasso(), targets_x, targets),
    "matching_pursuit": (linear_model.OrthogonalMatchingPursuit(), targets_x, target),
    "bayesian_ridge": (linear_model.BayesianRidge(), targets_x, target),
    "relevance": (linear_model.ARDRegression(), targets_x, target),
    "huber": (linear_model.HuberRegressor(), targets_x, target),
    "theil_sen": (linear_model.TheilSenRegressor(random_state=0), targets_x, target),
    "ransac": (linear_model.RANSACRegressor(random_state=0), targets_x, target),
    "sgd_regressor": (linear_model.SGDRegressor(random_state=0), targets_x, target),
    "poisson": (linear_model.PoissonRegressor(), targets_x, np.abs(target)),
    "gamma": (linear_model.GammaRegressor(), targets_x, np.abs(target) + 0.1),
    "tweedie": (linear_model.TweedieRegressor(power=1.5), targets_x, np.abs(target)),
    "quantile": (linear_model.QuantileRegressor(), targets_x, target),
    "linear_svr": (svm.LinearSVR(random_state=0), targets_x, target),
    "nu_svr": (svm.NuSVR(kernel="poly"), targets_x[:60], target[:60]),
    "neighbours_regressor": (neighbors.KNeighborsRegressor(3), targets_x[:60], targets[:60]),
    "decision_tree_regressor": (tree.DecisionTreeRegressor(max_depth=4, random_state=0), targets_x, targets),
    "decision_tree_missing": (tree.DecisionTreeRegressor(max_depth=4, random_state=0), targets_missing, target),
    "random_forest_regressor": (ensemble.RandomForestRegressor(max_depth=4, **few), targets_x, target),
    "extra_trees_regressor": (ensemble.ExtraTreesRegressor(max_depth=4, **few), targets_x, targets),
    "gradient_boosting_regressor": (ensemble.GradientBoostingRegressor(max_depth=2, **few), targets_x, target),
    "histogram_regressor": (ensemble.HistGradientBoostingRegressor(max_iter=3, max_leaf_nodes=6), targets_missing, target),
    "ada_boost_regressor": (ensemble.AdaBoostRegressor(**few), targets_x, target),
    "bagging_regressor": (ensemble.BaggingRegressor(tree.DecisionTreeRegressor(max_depth=3), **few), targets_x, target),
    "voting_regressor": (ensemble.VotingRegressor([("a", linear_model.Ridge()), ("b", tree.DecisionTreeRegressor(max_depth=3))]),
                         targets_x, target),
    "stacking_regressor": (ensemble.StackingRegressor([("a", linear_model.Ridge()), ("b", svm.LinearSVR())], cv=2), targets_x,
                           target),
    "mlp_regressor": (neural_network.MLPRegressor(hidden_layer_sizes=(8,), activation="logistic", max_iter=60, random_state=0),
                      targets_x, targets),
    "gaussian_process": (gaussian_process.GaussianProcessRegressor(
        gaussian_process.kernels.RBF() + gaussian_process.kernels.WhiteKernel()), targets_x[:40], target[:40]),
    "partial_least_squares": (cross_decomposition.PLSRegression(2), targets_x, targets),
    "many_targets": (multioutput.MultiOutputRegressor(linear_model.Ridge()), targets_x, targets),
    "isolation_forest": (ensemble.IsolationForest(max_samples=16, **few), x, None),
    "local_outliers": (neighbors.LocalOutlierFactor(4, novelty=True), x[:60], None),
    "outliers_sgd": (linear_model.SGDOneClassSVM(random_state=0), x, None),
    "k_means": (cluster.KMeans(3, n_init=1, random_state=0), x, None),
    "mini_batch_k_means": (cluster.MiniBatchKMeans(3, n_init=1, random_state=0), x, None),
    "gaussian_mixture": (mixture.GaussianMixture(3, random_state=0), x, None),
    "bayesian_mixture": (mixture.BayesianGaussianMixture(n_components=3, covariance_type="diag", random_state=0), x, None),
    "lightgbm_regressor": (LGBMRegressor(num_leaves=6, verbose=-1, n_estimators=4), targets_missing, target),
    "lightgbm_poisson": (LGBMRegressor(objective="poisson", num_leaves=6, verbose=-1, n_estimators=4), targets_x, np.abs(target)),
    "xgboost_regressor": (XGBRegressor(**boosted), targets_missing, target),
    "xgboost_logistic": (XGBRegressor(objective="reg:logistic", **boosted), targets_x, two[:160].astype(float)),
    "xgboost_forest_regressor": (XGBRFRegressor(**boosted), targets_x, target),
}
# Estimator, features and labels, which some choose features by.
TRANSFORMERS = {
    "min_max": (preprocessing.MinMaxScaler((-1, 1), clip=True), x, None),
    "max_abs": (preprocessing.MaxAbsScaler(), x, None),
    "normalizer": (preprocessing.Normalizer("l1"), x, None),
    "binarizer": (preprocessing.Binarizer(threshold=0.3), x, None),
    "polynomials": (preprocessing.PolynomialFeatures(3), x[:, :3], None),
    "power": (preprocessing.PowerTransformer(), x, None),
    "ordinal": (preprocessing.OrdinalEncoder(), counts, None),
    "one_hot_numbers": (preprocessing.OneHotEncoder(sparse_output=False), counts, None),
    "target_encoder": (preprocessing.TargetEncoder(random_state=0), counts, target),
    "imputer_of_medians": (impute.SimpleImputer(strategy="median"), missing, None),
    "imputer_of_neighbours": (impute.KNNImputer(n_neighbors=3), missing[:40], None),
    "pca": (decomposition.PCA(3, whiten=True), x, None),
    "incremental_pca": (decomposition.IncrementalPCA(3), x, None),
    "kernel_pca": (decomposition.KernelPCA(3, kernel="rbf"), x[:40], None),
    "truncated_svd": (decomposition.TruncatedSVD(3), x, None),
    "projection": (random_projection.GaussianRandomProjection(3, random_state=0), x, None),
    "select_k_best": (feature_selection.SelectKBest(k=3), x, three),
    "variances": (feature_selection.VarianceThreshold(0.5), x, None),
    "select_from_model": (feature_selection.SelectFromModel(linear_model.LogisticRegression()), x, three),
    "eliminated": (feature_selection.RFE(linear_model.LogisticRegression(), n_features_to_select=3), x, three),
}
half = [0, 1, 2]
# Pipelines that classify, as CLASSIFIERS.
PIPELINES = {
    "scaled_forest": (make_pipeline(preprocessing.StandardScaler(), ensemble.RandomForestClassifier(max_depth=3, **few)), x),
    "projected_svc": (make_pipeline(preprocessing.MinMaxScaler(), decomposition.PCA(3), svm.SVC()), x),
    "polynomial_logistic": (make_pipeline(preprocessing.PolynomialFeatures(2), preprocessing.StandardScaler(),
                                          linear_model.LogisticRegression()), x),
    "columns_logistic": (make_pipeline(ColumnTransformer([("a", preprocessing.StandardScaler(), half),
                                                          ("b", preprocessing.OneHotEncoder(), [3, 4])], remainder="passthrough"),
                                       linear_model.LogisticRegression()), counts),
    "imputed_boosting": (make_pipeline(impute.SimpleImputer(strategy="most_frequent"),
                                       ensemble.GradientBoostingClassifier(max_depth=2, **few)), missing),
    "indicated_tree": (make_pipeline(impute.SimpleImputer(add_indicator=True), tree.DecisionTreeClassifier(max_depth=4)), missing),
    "united_neighbours": (make_pipeline(FeatureUnion([("a", decomposition.PCA(2)), ("b", feature_selection.SelectKBest(k=2))]),
                                        neighbors.KNeighborsClassifier(3)), x[:60]),
    "columns_lightgbm": (make_pipeline(ColumnTransformer([("a", impute.SimpleImputer(), half),
                                                          ("b", preprocessing.StandardScaler(), [3, 4, 5])]),
                                       LGBMClassifier(num_leaves=6, verbose=-1, n_estimators=4)), missing),
    "scaled_xgboost": (make_pipeline(preprocessing.RobustScaler(), XGBClassifier(**boosted)), x),
    "voting_pipelines": (ensemble.VotingClassifier(
        [("a", make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression())),
         ("b", Pipeline([("p", decomposition.PCA(3)), ("t", tree.DecisionTreeClassifier(max_depth=3))]))], voting="soft",
        flatten_transform=False), x),
}
# As REGRESSORS.
REGRESSING_PIPELINES = {
    "power_regressor": (make_pipeline(preprocessing.PowerTransformer(), linear_model.Ridge()), targets_x, target),
    "binned_regressor": (make_pipeline(preprocessing.KBinsDiscretizer(4, encode="onehot-dense"),
                                       ensemble.RandomForestRegressor(max_depth=3, **few)),
                         targets_x, target),
    "imputed_xgboost": (make_pipeline(impute.SimpleImputer(), preprocessing.StandardScaler(), XGBRegressor(**boosted)),
                        targets_missing, target),
}
