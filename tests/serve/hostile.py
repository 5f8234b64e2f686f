"""Requests that no server should answer, in lists: each is refused with a 4xx and one clear error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from tests.serve.asking import Asked
from tests.serve.conftest import PORT

ROW = {"size": 0.5, "weight": 0.1, "colour": "red", "sold": "yes"}
BODY = json.dumps(ROW).encode()
ARROW = "application/vnd.apache.arrow.stream"
JSON = ("content-type", "application/json")

HOSTS = [
    "evil.example", f"evil.example:{PORT}", f"127.0.0.1.evil.example:{PORT}", f"localhost.evil.example:{PORT}",
    f"127.0.0.1@evil.example:{PORT}", f"evil.example@127.0.0.1:{PORT}", f"user:pass@127.0.0.1:{PORT}",
    f"0.0.0.0:{PORT}", f"[::]:{PORT}", f"[::ffff:127.0.0.1]:{PORT}", f"[::ffff:7f00:1]:{PORT}", f"[::1%lo]:{PORT}",
    f"127.1:{PORT}", f"2130706433:{PORT}", f"0x7f000001:{PORT}", f"0177.0.0.1:{PORT}", f"127.0.0.01:{PORT}",
    f"127.0.0.1.:{PORT}", f"localhost.:{PORT}", f"10.0.0.1:{PORT}", f"192.168.0.1:{PORT}", f"169.254.169.254:{PORT}",
    "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8001", f"127.0.0.1:{PORT}0", "127.0.0.1:99999", "127.0.0.1:-1",
    f"127.0.0.1:{PORT} ", f" 127.0.0.1:{PORT}", f"127.0.0.1:{PORT}:{PORT}", "127.0.0.1:", "127.0.0.1:8000a",
    f"127.0.0.1:{PORT}/", f"127.0.0.1:{PORT}#", f"127.0.0.1:{PORT}?x", f"http://127.0.0.1:{PORT}", "", ":", f":{PORT}",
    f"[127.0.0.1]:{PORT}", f"[localhost]:{PORT}", f"[::1:{PORT}", f"::1:{PORT}", f"[::1]{PORT}", "[::1]", "[]", "[",
    f"127.0.0.1,evil.example:{PORT}", f"127.0.0.1:{PORT},evil.example", f"127.0.0.1%00.evil.example:{PORT}",
    f"127.0.0.1\\.evil.example:{PORT}", f"-localhost:{PORT}", f"local host:{PORT}", f"lo\u00e7alhost:{PORT}",
    f"{'a' * 300}:{PORT}", f"localhost:{PORT}@evil.example", "*", "null", f"127.0.0.1:\u0661{PORT}"[:14],
]  # fmt: skip
ORIGINS = [
    "null", "", "http://evil.example", f"http://evil.example:{PORT}", "https://127.0.0.1:8001", "http://127.0.0.1",
    f"http://localhost:{PORT}", f"http://127.0.0.1:{PORT}.evil.example", f"http://127.0.0.1:{PORT}@evil.example",
    f"http://evil.example@127.0.0.1:{PORT}", f"http://127.0.0.1.evil.example:{PORT}", f"ftp://127.0.0.1:{PORT}",
    f"file://127.0.0.1:{PORT}", f"//127.0.0.1:{PORT}", f"127.0.0.1:{PORT}", f"http:/127.0.0.1:{PORT}", "http://", "*",
    f"http://127.0.0.1:{PORT}/", f"http://127.0.0.1:{PORT}/x", f"http://[::ffff:127.0.0.1]:{PORT}",
    "chrome-extension://a",
    f"HTTP://evil:{PORT}", f"http://127.0.0.1:{PORT} http://evil.example", "data:", "about:blank",
    "javascript:alert(1)",
]  # fmt: skip
PATHS = [
    "/", "//", "/predict/", "//predict", "/predict/..", "/./predict", "/../predict", "/%70redict", "/predict%00",
    "/predict;x=1", "/Predict", "/PREDICT", "/predict%2f", "/predict%20", "/predict\\", "/..", "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/....//....//etc/passwd", "/etc/passwd", "/models/",
    "/models/../predict", "/models/..", "/models/.", "/models/%2e%2e", "/models/kind/../../etc/passwd",
    "/models//predict",
    "/models/other/predict", "/models/kind/predict/", "/models/kind.venire", "/models/kind/predict/x",
    "/models/KIND/predict",
    "/v2/", "/v2/models", "/v2/models/", "/v2/models/other", "/v2/models/../kind", "/v2/models/kind/infer/",
    "/v1/models/kind",
    "/v2/models/kind/versions/1/infer", "/v2/repository/index", "/v2/repository/models/x/load", "/static/../x", "/docs",
    "/admin", "/.git/config", "/.env", "/api/2.0/mlflow/runs/search", "/ajax-api/2.0/mlflow", "/invocations/",
    "/metrics/x",
    "/file:///etc/passwd", "/http://evil.example/", "/predict?x", "/\u00e9", "/" + "a" * 3000, "/health/..;/predict",
    "/~root",
]  # fmt: skip
METHODS = ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "post", "POST ", "BREW", "", "*"]
BAD_JSON = [
    b"", b" ", b"{", b"[", b"}", b"]", b"{]", b"[}", b"nul", b"tru", b"nan", b"NaN", b"Infinity", b"-Infinity", b"+1",
    b"01",
    b".5", b"5.", b"1e", b"0x10", b"'a'", b'"', b'"\x00"', b'"\n"', b'{"size"}', b'{"size":}', b'{"size":1,}', b'{,}',
    b'{"size":1 "weight":2}', b'{"size":1}{"size":2}', b'[{"size":1},]', b'[1 2]', b'{size:1}', b"{'size':1}",
    b"// x\n{}",
    b'{"size":1}//', b"/**/[]", b"undefined", b"[undefined]", b'{"a":NaN}', b'[{"size":NaN}]', b'[{"size":-Infinity}]',
    b'{"size":1,"size":2}', b'[{"size":1,"size":1}]', b'{"size":[1],"size":[2]}', b"\xef\xbb\xbf{}",
    b"\xff\xfe{\x00}\x00",
    b"\xff", b'"\xff"', b'{"\xc3\x28":1}', b'"\xed\xa0\x80"', b"[" * 5000, b"[" * 900 + b"]" * 900, b'{"a":' * 5000,
    b"9" * 5000, b"[" + b"9" * 5000 + b"]", b'{"size":' + b"9" * 5000 + b"}", b"-", b"--1", b"1.2.3", b"1e1e1", b"\x00",
    b'{"a"::1}', b'[,1]', b'{"a":1,,"b":2}', b"{\"a\":\"\\x41\"}", b"{\"a\":\"\\u12\"}", b"True", b"None", b"[1,2",
    b'{"a":"b',
]  # fmt: skip
NO_ROWS: list[Any] = [
    None, True, False, 0, 1, -1.5, "", "text", [], {}, [[]], [{}], [[1]], [None], [1], ["a"], [True], [[1, 2], [3, 4]],
    [ROW, 1], [ROW, None], [ROW, []], [ROW, "x"], [[ROW]], {"rows": [ROW]}, {"a": {}}, {"size": [], "weight": []},
    {"size": [1], "weight": [1, 2], "colour": ["red"], "sold": ["yes"]}, {**ROW, "size": [1]}, {**ROW, "size": {}},
    {**ROW, "size": {"a": 1}}, {**ROW, "colour": ["red"]}, {**ROW, "colour": [["red"]]}, [{**ROW, "size": [1]}],
    [{**ROW, "size": {"$gt": 0}}], [{**ROW, "colour": {"a": []}}], [{**ROW, "size": 10**400}], {**ROW, "size": 10**400},
    {**ROW, "weight": -(10**1000)}, {"size": 1}, {"Size": 1, "Weight": 1, "Colour": "red", "Sold": "yes"},
    {"x0": 1, "x1": 2, "x2": 3, "x3": 4}, [ROW] * 51, {name: [value] * 51 for name, value in ROW.items()},
    {name: [[value]] for name, value in ROW.items()}, {name: [{}] for name in ROW}, {**ROW, "size": [[]]},
    {"__class__": "os.system", "args": ["id"]}, {"py/object": "os.system"}, {"$ref": "file:///etc/passwd"},
    {"path": "/etc/passwd"}, {"url": "http://169.254.169.254/"}, "/etc/passwd", ["/etc/passwd"], "http://evil.example/",
    {"constructor": {"prototype": {}}}, {"__proto__": ROW}, [[ROW, ROW]], {"": 1}, [{"": ""}],
]  # fmt: skip
BAD_CSV = [
    b"", b"\n", b"\n\n", b"size,weight,colour,sold", b"size,weight,colour,sold\n",
    b"size,weight,colour,sold\n1,2,red\n",
    b"size,weight,colour,sold\n1,2,red,yes,5\n", b"size,size,colour,sold\n1,2,red,yes\n", b",,,\n1,2,red,yes\n",
    b"size,weight,,sold\n1,2,red,yes\n", b'size,weight,colour,sold\n1,2,"red,yes\n',
    b'size,weight,colour,sold\n1,2,"r"x,yes\n',
    b"size,weight,colour,sold\n1,2,r\x00d,yes\n", b"\xff\xfe1,2\n", b"size,weight,colour,sold\n1,2,\xff,yes\n",
    b"size;weight;colour;sold\n1;2;red;yes\n", b"size,weight\n1,2\n", b"1,2,red,yes\n1,2,red,yes\n",
    b"size,weight,colour,sold\n" + b"1,2,red,yes\n" * 51, b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"PAR1",
    b"ARROW1\x00\x00",
    b"size,weight,colour,sold\n" + b"1," + b"9" * 200_000, b"=cmd|' /C calc'!A0\n1\n",
    b'"' * 10_001, b"size,weight,colour,sold\n" + b'"' + b"x" * 140_000 + b'"',
]  # fmt: skip
QUERIES = [
    "x=1", "sets=2", "sets=0", "sets=1", "sets=-1", "sets=nan", "sets=inf", "sets=", "sets=a", "sets=0.9&sets=0.8",
    "interval=0.9", "interval=0.9&sets=0.9", "fill_missing_columns=maybe", "fill_missing_columns=", "sets", "=", "&",
    "a&b",
    "sets=%ff", "path=/etc/passwd", "url=http://evil.example", "model=../../etc/passwd", "callback=alert(1)",
    "\u00e9=1",
    "&".join(f"a{j}=1" for j in range(50)), "sets=0.9;interval=0.9", "sets=0,9",
]  # fmt: skip
TYPES = [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/octet-stream",
    "", "json",
    "application/x-python-pickle", "application/vnd.apache.parquet", "application/xml", "text/html", "*/*", "text/csv2",
    "application/json; charset=latin-1", "application/json; charset=utf-16", "text/csv; charset=utf-7",
    "application/x-joblib",
    "application/json, text/csv", "image/png", "application/vnd.apache.arrow.file", "application/jsonl",
]  # fmt: skip
INVOCATIONS: list[Any] = [
    None, 1, "x", [], [ROW], {}, ROW, {"params": {}}, {"dataframe_records": None}, {"dataframe_records": []},
    {"dataframe_records": [1]}, {"dataframe_records": ROW}, {"dataframe_split": []}, {"dataframe_split": {}},
    {"dataframe_split": {"data": [[1]]}}, {"dataframe_split": {"columns": ["size"], "data": [[1, 2]]}},
    {"dataframe_split": {"columns": list(ROW), "data": [[1, 2, "red"]]}}, {"dataframe_split": {"columns": 4,
    "data": [[1]]}},
    {"dataframe_split": {"columns": [1, 2, 3, 4], "data": [[1, 2, "red", "yes"]]}},
    {"dataframe_split": {"columns": ["size"] * 4, "data": [[1, 2, "red", "yes"]]}},
    {"dataframe_split": {"columns": list(ROW), "data": [ROW]}}, {"dataframe_split": {"columns": list(ROW),
    "data": "x"}},
    {"dataframe_split": {"columns": list(ROW), "data": [[1, 2, {}, "yes"]]}}, {"instances": 1}, {"instances": [[]]},
    {"instances": [[1, 2, "red", "yes"], [1]]}, {"instances": [[[1]]]}, {"inputs": {}}, {"inputs": {"size": 1}},
    {"inputs": [1]},
    {"inputs": {"size": [1], "weight": []}}, {"inputs": {"size": [1]}}, {"inputs": "x"}, {"dataframe_records": [ROW],
    "x": 1},
    {"dataframe_records": [ROW], "instances": [ROW]}, {"dataframe_records": [ROW], "params": []},
    {"dataframe_records": [ROW], "params": {"predict_method": "__class__"}}, {"columns": list(ROW), "data": [[1]]},
    {"dataframe_records": [ROW], "params": {"predict_method": ["predict"]}}, {"dataframe_records": [ROW] * 51},
    {"dataframe_records": [ROW], "params": {"predict_method": "decision_function"}},
    {"dataframe_records": [ROW], "params": {"path": "/etc/passwd"}}, {"inputs": {name: [{}] for name in ROW}},
]  # fmt: skip


def _tensor(**changed: Any) -> list[dict[str, Any]]:
    first = {"name": "size", "shape": [1], "datatype": "FP64", "data": [0.5], **changed}
    types = {"weight": "FP64", "colour": "BYTES", "sold": "BYTES"}
    others = [{"name": n, "shape": [1], "datatype": t, "data": [ROW[n]]} for n, t in types.items()]
    return [first, *others]


CHANGED: list[dict[str, Any]] = [
    {"shape": [2]}, {"shape": []}, {"shape": [-1]}, {"shape": [1, 2]}, {"shape": [1, 1, 1]}, {"shape": "1"},
    {"shape": None},
    {"shape": [1.0]}, {"shape": [True]}, {"shape": [10**30]}, {"datatype": "FP65"}, {"datatype": None},
    {"datatype": []},
    {"datatype": "BYTES"}, {"datatype": "BOOL"}, {"datatype": "INT64"}, {"data": []}, {"data": None}, {"data": "x"},
    {"data": [[0.5, 0.5]]}, {"data": [[]]}, {"data": [{}]}, {"data": [[[0.5]]]}, {"data": ["0.5"]}, {"data": [0.5,
    0.5]},
    {"name": None}, {"name": 1}, {"name": "other"}, {"name": "weight"}, {"x": 1}, {"data": [True]},
    {"data": [10**400]},
]  # fmt: skip
INFERENCES: list[Any] = [
    None, 1, [], {}, ROW, {"inputs": None}, {"inputs": []}, {"inputs": {}}, {"inputs": [1]}, {"inputs": [{}]},
    {"inputs": "x"},
    *({"inputs": _tensor(**changed)} for changed in CHANGED),
    {"inputs": _tensor(), "outputs": [{"name": "other"}]}, {"inputs": _tensor(), "outputs": "x"},
    {"inputs": _tensor(), "id": 1},
    {"inputs": _tensor(), "outputs": [1]}, {"inputs": _tensor(), "outputs": [{}]}, {"inputs": _tensor(), "x": 1},
    {"inputs": _tensor()[:2]}, {"inputs": _tensor(binary_data_size=8)},
]  # fmt: skip
HEADERS: list[tuple[tuple[str, str], ...]] = [
    (JSON, JSON), (JSON, ("content-type", "text/csv")), (JSON, ("host", f"127.0.0.1:{PORT}")), (JSON, ("host",
    "evil.example")),
    (JSON, ("content-length", "1"), ("content-length", "2")), (JSON, ("content-length", "-1")), (JSON,
    ("content-length", "+1")),
    (JSON, ("content-length", "1e3")), (JSON, ("content-length", "0x10")), (JSON, ("content-length", "9" * 30)),
    (JSON, ("content-length", "99999999")), (JSON, ("content-length", "\u00b2")), (JSON, ("content-length", "")),
    (JSON, ("content-encoding", "gzip")), (JSON, ("content-encoding", "br")), (JSON, ("content-encoding",
    "deflate, gzip")),
    (JSON, ("content-encoding", "zstd")), (JSON, ("content-encoding", "identity"), ("content-encoding", "gzip")),
    (JSON, ("sec-fetch-site", "cross-site")), (JSON, ("sec-fetch-site", "same-site")), (JSON, ("sec-fetch-site", "x")),
    (JSON, ("origin", f"http://127.0.0.1:{PORT}"), ("origin", "http://evil.example")),
    (JSON, ("transfer-encoding", "chunked"), ("transfer-encoding", "identity")),
]  # fmt: skip
TOKENS = [
    None, "", "Bearer", "Bearer ", "Bearer x", "Basic {0}", "bearer{0}", "{0}", "Token {0}", "Bearer {0}x",
    "Bearer x{0}",
    "Bearer {0} {0}", "Bearer, {0}", "Bearer {1}", "Bearer {2}", "Bearer \u00e9", "Bearer null", "Bearer undefined",
    "Bearer " + "a" * 8000, "Bearer {0},", 'Bearer "{0}"', "Bearer token={0}", "Bearer\x01{0}", "Digest {0}",
    "Bearer {0}\x01",
]  # fmt: skip


def arrows() -> Iterator[bytes]:
    """Streams that are cut, compressed, of types that no table has, or no streams at all."""
    fine = stream_of(pa.table({name: [value] * 3 for name, value in ROW.items()}))
    yield from (fine[:size] for size in (*range(0, 40, 4), len(fine) // 2))
    yield from (
        b"ARROW1\x00\x00" + fine,
        b"\x00" * 64,
        b"\xff" * 64,
        b"PAR1" * 9,
        b"\xff\xff\xff\xff\xff\xff\xff\x7f" + fine,
    )
    for codec in ("zstd", "lz4"):
        options = pa.ipc.IpcWriteOptions(compression=codec)
        yield stream_of(pa.table({name: [value] * 40 for name, value in ROW.items()}), options)
    yield stream_of(pa.table({name: [value] * 51 for name, value in ROW.items()}))
    yield stream_of(pa.table({name: [value] for name, value in ROW.items()}).slice(0, 0))
    for odd in (
        pa.nulls(10**9), pa.array([[1.0]]), pa.array([{"a": 1}]), pa.array([b"x"]), pa.array([1], pa.decimal128(5)),
        pa.array([1], pa.time32("s")), pa.array([1], pa.duration("s")), pa.nulls(1),
    ):  # fmt: skip
        yield stream_of(pa.table({"size": odd}))
    yield stream_of(pa.table([pa.array([1.0]), pa.array([2.0])], names=["size", "size"]))
    yield stream_of(pa.table({"size": [1.0]}))
    broken = pa.DictionaryArray.from_arrays(pa.array([7], pa.int32()), pa.array(["red"]), safe=False)
    yield stream_of(pa.table({"size": [1.0], "weight": [1.0], "colour": broken, "sold": ["yes"]}))


def stream_of(table: Any, options: Any = None) -> bytes:
    """A table as an Arrow stream."""
    into = pa.BufferOutputStream()
    with pa.ipc.new_stream(into, table.schema, options=options) as stream:
        stream.write_table(table)
    return bytes(into.getvalue())


def mutated(seed: int, count: int) -> Iterator[bytes]:
    """Streams with a few bytes changed: refused or read, and never the end of the server."""
    fine = stream_of(pa.table({name: [value] * 3 for name, value in ROW.items()}))
    rng = np.random.default_rng(seed)
    for _ in range(count):
        spoiled = bytearray(fine)
        for at in rng.integers(len(fine), size=int(rng.integers(1, 6))):
            spoiled[at] = int(rng.integers(256))
        yield bytes(spoiled)


def requests() -> dict[str, list[Asked]]:
    """Every request by what is wrong with it; all but those of `tokens` carry the token."""
    csv, arrow = (("content-type", "text/csv"),), (("content-type", ARROW),)
    posts = ["/predict", "/explain", "/invocations", "/v2/models/kind/infer", "/models/kind/predict"]
    gets = ["/health", "/ping", "/models", "/metrics", "/openapi.json", "/v2", "/v2/health/live", "/models/kind"]
    return {
        "hosts": [Asked("/predict", BODY, host=host) for host in HOSTS] + [Asked.get(p, host=HOSTS[2]) for p in gets]
        + [Asked("/predict", BODY, host=None)],
        "origins": [Asked("/predict", BODY, headers=(JSON, ("origin", origin))) for origin in ORIGINS]
        + [Asked.get(p, headers=(("origin", "http://evil.example"),)) for p in gets],
        "paths": [Asked.get(p) for p in PATHS] + [Asked(p, BODY) for p in PATHS],
        "methods": [Asked(p, BODY, method=m) for p in posts for m in (*METHODS, "GET", "HEAD")]
        + [Asked(p, b"", method=m, headers=()) for p in gets for m in (*METHODS, "POST")]
        + [Asked(p, b"{}", method="GET") for p in gets],
        "json": [Asked(p, body) for p in posts[:4] for body in BAD_JSON],
        "rows": [Asked.json(p, value) for p in posts[:2] for value in NO_ROWS],
        "csv": [Asked(p, body, headers=csv) for p in ("/predict", "/invocations") for body in BAD_CSV],
        "arrow": [Asked("/predict", body, headers=arrow) for body in arrows()],
        "queries": [Asked("/predict", BODY, query=query) for query in QUERIES]
        + [Asked(p, BODY, query="x=1") for p in posts] + [Asked.json("/explain", [ROW, ROW], query="class=nobody")],
        "types": [Asked(p, BODY, headers=(("content-type", kind),)) for p in posts for kind in TYPES],
        "invocations": [Asked.json("/invocations", value) for value in INVOCATIONS],
        "inferences": [Asked.json("/v2/models/kind/infer", value) for value in INFERENCES],
        "headers": [Asked("/predict", BODY, headers=headers) for headers in HEADERS],
        "large": [Asked("/predict", b" " * 20_001, parts=parts) for parts in (1, 2, 50)]
        + [Asked(p, b'"' + b"a" * 30_000 + b'"') for p in posts],
    }  # fmt: skip
