"""Libraries with threads of their own, and what uses these."""

DATA = "import numpy as np\nX = np.random.default_rng(0).random((20000, 8)); y = (X[:, 0] > .5).astype(int)\n"

# What is to be installed, what is imported, what uses its threads, and the word that names it where it has no checkpoint.
LIBRARIES = {
    "kmeans": ("scikit-learn", "from sklearn.cluster import KMeans", "KMeans(4, n_init=1, max_iter=2).fit(X[:2000])", ""),
    "boosting": ("scikit-learn", "from sklearn.ensemble import HistGradientBoostingClassifier as H",
                 "H(max_iter=2, max_leaf_nodes=4).fit(X[:2000], y[:2000])", ""),
    "lightgbm": ("lightgbm", "import lightgbm as l",
                 "l.train({'verbose': -1, 'objective': 'binary'}, l.Dataset(X, y), 2)", ""),
    "xgboost": ("xgboost-cpu", "import xgboost as b",
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
    "torch": ("torch", "import torch; t = torch.tensor(X[:1000]); n = torch.nn.Linear(8, 200)",
              "(t @ t.T).sum().item(), n(t.float()).sum().backward()", ""),
    "tensorflow": ("tensorflow-cpu", "import os; os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\n"
                   "import tensorflow as tf; t = tf.constant(X[:1000])",
                   "tf.reduce_sum(tf.matmul(t, t, transpose_b=True)).numpy()", "TensorFlow"),
}  # fmt: skip
MKL = """
import ctypes, numpy as np, sys; mkl = ctypes.CDLL(sys.prefix + "/lib/libmkl_rt.so.3")
a = np.random.default_rng(0).random((600, 600)); c = np.empty_like(a)
def product():
    at = [ctypes.c_void_p(m.ctypes.data) for m in (a, a, c)]
    n, one, none = 600, ctypes.c_double(1), ctypes.c_double(0)
    mkl.cblas_dgemm(101, 111, 111, n, n, n, one, at[0], n, at[1], n, none, at[2], n)
    assert np.allclose(c, a @ a)
"""
LIBRARIES["mkl"] = ("mkl", MKL, "product()", "")
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

# One in another process, to which the worker's channel goes; it ends with all who hold its input.
GRPC = '''
import grpc, subprocess, sys, time
SERVER = """
import concurrent.futures as c, grpc, sys
class Handler(grpc.GenericRpcHandler):
    def service(self, details): return grpc.unary_unary_rpc_method_handler(lambda text, context: text)
server = grpc.server(c.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((Handler(),))
print(server.add_insecure_port("127.0.0.1:0"), flush=True); server.start(); sys.stdin.read()
"""
server = subprocess.Popen([sys.executable, "-c", SERVER], text=True, stdin=-1, stdout=-1, start_new_session=True)
address = f"127.0.0.1:{server.stdout.readline().strip()}"
echo = grpc.insecure_channel(address).unary_unary("/a/echo")
'''
LIBRARIES["grpc"] = ("grpcio", GRPC, "echo(b'hi', wait_for_ready=True)", "gRPC")
RAY = """
import ray
ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR", ignore_reinit_error=True)
add = ray.remote(lambda n: n + 1)
"""
LIBRARIES["ray"] = ("ray", RAY, "ray.get(add.remote(1))", "Ray")
for layer, word in {"workqueue": "", "omp": "numba", "tbb": ""}.items():
    LIBRARIES[f"numba {layer}"] = ("numba", NUMBA.format(layer=layer), "f(X[:, 0].copy())", word)
