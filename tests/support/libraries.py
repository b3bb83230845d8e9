"""Libraries with threads of their own, and what uses these."""

DATA = "import numpy as np\nX = np.random.default_rng(0).random((20000, 8)); y = (X[:, 0] > .5).astype(int)\n"

# What is imported, what uses its threads, and the word that names it where it has no checkpoint.
LIBRARIES = {
    "kmeans": ("sklearn", "from sklearn.cluster import KMeans", "KMeans(4, n_init=1).fit(X)", ""),
    "boosting": ("sklearn", "from sklearn.ensemble import HistGradientBoostingClassifier as H",
                 "H(max_iter=2).fit(X, y)", ""),
    "lightgbm": ("lightgbm", "import lightgbm as l",
                 "l.train({'verbose': -1, 'objective': 'binary'}, l.Dataset(X, y), 2)", ""),
    "xgboost": ("xgboost", "import xgboost as b",
                "b.train({'objective': 'binary:logistic'}, b.DMatrix(X, y), 2)", ""),
    "blas": ("numpy", "A = np.random.default_rng(0).random((600, 600))", "A @ A", ""),
    "arrow": ("pyarrow", "import pyarrow as pa; t = pa.table({'a': X[:, 0].round(1), 'b': X[:, 1]})",
              "t.group_by('a').aggregate([('b', 'mean')])", ""),
    "joblib threads": ("joblib", "from joblib import Parallel, delayed",
                       "Parallel(2, backend='threading')(delayed(abs)(n) for n in range(20))", ""),
    "joblib processes": ("joblib", "from joblib import Parallel, delayed",
                         "Parallel(2)(delayed(abs)(n) for n in range(20))", ""),
    "duckdb": ("duckdb", "import duckdb; c = duckdb.connect()\n"
               "c.execute('create table t as select range a, random() b from range(300000)')",
               "c.execute('select a % 100, avg(b) from t group by 1').fetchall()", ""),
    "polars": ("polars", "import polars as pl; d = pl.DataFrame({'a': (X[:, 0] * 9).astype(int), 'b': X[:, 1]})",
               "d.lazy().group_by('a').agg(pl.col('b').mean()).sort('a').collect()", "polars"),
    "jax": ("jax", "import jax; j = jax.numpy.asarray(X[:500])",
            "jax.jit(lambda z: (z @ z.T).sum())(j).block_until_ready()", "JAX"),
}  # fmt: skip
NUMBA = """
import ctypes, os, sys; os.environ["NUMBA_THREADING_LAYER"] = {layer!r}
if {layer!r} == "tbb": ctypes.CDLL(sys.prefix + "/lib/libtbb.so.12", ctypes.RTLD_GLOBAL)
import numba
@numba.njit(parallel=True)
def f(x):
    s = 0.0
    for i in numba.prange(len(x)): s += x[i] ** .5
    return s
"""
for layer, word in {"workqueue": "", "omp": "numba", "tbb": ""}.items():
    LIBRARIES[f"numba {layer}"] = ("numba", NUMBA.format(layer=layer), "f(X[:, 0].copy())", word)
