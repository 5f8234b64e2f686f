"""Hundreds of requests to the studio that want what they should not get, by what is wrong with them."""

from __future__ import annotations

from typing import Any

from tests.serve.asking import Asked
from tests.serve.hostile import BAD_JSON, HOSTS, METHODS, ORIGINS, PATHS, TYPES

KEY = "0123456789abcdef"
GETS = ["/", "/static/home.js", f"/runs/{KEY}", f"/runs/{KEY}/model.venire", f"/compare/{KEY}/{KEY}",
        f"/predicted/{KEY}", "/api/state", "/api/choices", f"/api/jobs/{KEY}", "/api/events"]  # fmt: skip
POSTS = ["/api/look", "/api/uploads", "/api/jobs", f"/api/jobs/{KEY}/stop", f"/api/jobs/{KEY}/resume",
         f"/api/runs/{KEY}/ask", f"/api/runs/{KEY}/prepare", f"/api/runs/{KEY}/predict"]  # fmt: skip
DELETES = [f"/api/jobs/{KEY}", f"/api/runs/{KEY}"]
EVERY = [("GET", path) for path in GETS] + [("POST", path) for path in POSTS] + [("DELETE", path) for path in DELETES]
FILES: list[Any] = [
    "", "../secret.csv", "./../secret.csv", "inside/../../secret.csv", "/etc/passwd", "//etc/passwd", "~/.ssh/id_rsa",
    "link.csv", "out/secret.csv", "out/inside/flowers.csv/../../secret.csv", "..\\secret.csv", "C:\\secret.csv",
    "file:///etc/passwd", "http://evil.example/a.csv", "s3://bucket/a.csv", "flowers.csv\0", "\0", ".", "..", "/",
    ".venire/lock", ".venire/studio/uploads/x.csv", "uploads:", "uploads:../../../secret.csv", "uploads:x/y.csv",
    "uploads:..", "uploads:/etc/passwd", "nothing.csv", "a" * 5000, "flowers.csv/x", "%2e%2e/secret.csv", "*.csv",
    "flowers.csv;x", 1, True, ["flowers.csv"], {"path": "flowers.csv"}, None,
]  # fmt: skip
FIELDS: dict[str, list[Any]] = {
    "target": [1, True, ["kind"], {"a": 1}, "x" * 2000, "a\0b"],
    "positive": [1, ["x"], {"a": 1}, "x" * 2000],
    "metric": [1, ["x"], {"a": 1}],
    "costs": [1, ["x"], {"a": 1}, [[0, 1], [1, 0]], "/etc/passwd", "../secret.csv", "secret.csv", "flowers.csv", "1:x",
              "file:///etc/passwd", "http://evil.example/1:2", "1:2\n", "1:", ":", "nan:1", "inf:1", "-1:1", "1:2:3",
              "1:/etc/passwd", "0,1;x,0", "\u0661:2", "1" * 20 + ":1"],
    "groups": [1, ["x"], {"a": 1}],
    "time": [1, ["x"], {"a": 1}],
    "weights": [1, ["x"], {"a": 1}],
    "models": ["tree", 1, {"a": 1}, [1], [["tree"]], ["x"] * 300],
    "folds": ["5", 5.5, -1, True, [5], 10**12],
    "repeats": ["5", 5.5, -1, True, [5], 10**12],
    "seed": ["5", 5.5, -1, True, [5], 10**12],
    "budget": ["60", -1, 0, -(10**400), True, [5], {"a": 1}, "never"],
    "kinds": ["numeric", 1, ["x"], {"length": "object"}, {"length": 1}, {"x" * 2000: "numeric"}],
    "stratified": ["yes", 1, ["x"]],
    "home": ["/etc"], "source": ["/etc/passwd"], "test": ["/etc/passwd"], "tick": ["x"], "jobs": [99], "fit": [True],
    "__class__": ["x"], "drop": [["length"]], "encoding": ["utf-8"],
}  # fmt: skip
COOKIES = ["", "x", "venire_studio_8000", "venire_studio_8000=", "venire_studio_8000=x", "venire_studio_8001={0}",
           "VENIRE_STUDIO_8000={0}", "venire_studio_8000={0}x", "venire_studio_8000=x{0}", 'venire_studio_8000="{0}"',
           "venire_studio_8000={0}; venire_studio_8000={0}", "a=b; venire_studio_8000=null", "{0}", "=", ";" * 50,
           "venire_studio_8000={0}" + " " * 5000, "venire_studio_8000 ={0}", "venire_studio_8000={1}"]  # fmt: skip
UPLOADS = [("name=x.exe", b"a"), ("name=x", b"a"), ("name=", b"a"), ("", b"a"), ("name=../../x.pkl", b"a"),
           ("name=x.pickle", b"a"), ("name=x.csv&name=y.csv", b"a"), ("other=x.csv", b"a"), ("name=x.csv", b""),
           ("name=x.csv", b"a" * 60_000), ("name=%00.py", b"a"), (f"name={'a' * 400}.csv", b"a"),
           ("name=x.venire", b"a"), ("name=x.html", b"a"), ("name=.csv/", b"a")]  # fmt: skip
EVENTS = ["", "jobs=", "jobs=,", f"jobs={KEY},", f"jobs={KEY},../x", "jobs=..%2f..", f"jobs={KEY.upper()}x",
          f"jobs={KEY}&jobs={KEY}", "job=x", "jobs=%00", "jobs=" + ",".join([KEY] * 300), f"jobs={KEY}%0a"]  # fmt: skip
LENGTHS = ["-1", "+1", "1e3", "0x10", "9" * 30, "", "\u00b2"]


def requests() -> dict[str, list[Asked]]:
    """Every request by what is wrong with it; with the cookie and the right origin, but for one."""
    json = (("content-type", "application/json"),)
    sent = [
        Asked(path, b"{}", method, json) if method == "POST" else Asked(path, b"", method, ()) for method, path in EVERY
    ]
    look = {"file": "flowers.csv"}
    return {
        "hosts": [Asked.get("/api/state", host=host) for host in (*HOSTS, None)]
        + [Asked(**{**one.__dict__, "host": "evil.example:8000"}) for one in sent],
        "paths": [Asked.get(path) for path in PATHS if path != "/"]
        + [Asked.get(path) for path in ("/static/../gate.py", "/static/..%2fgate.py", "/static/%2e%2e/x.js",
                                        "/static/nothing.js", "/static/gate.py", "/static/studio.css/", "/runs/",
                                        "/runs/../x", f"/runs/{KEY}/../x.csv", f"/runs/{KEY}/run.json",
                                        f"/runs/{KEY.upper()}", "/runs/0123", f"/runs/{KEY}/", "/api", "/api/",
                                        f"/predicted/{KEY}.csv", "/predicted/..", "/api/state/", "//api/state")],
        "methods": [Asked(path, b"", method, ()) for path in GETS for method in METHODS if method != "DELETE"]
        + [Asked(path, b"", method, ()) for path in POSTS for method in (*METHODS, "GET", "HEAD")],
        "json": [Asked(path, body, "POST", json) for path in ("/api/look", "/api/jobs") for body in BAD_JSON],
        "types": [Asked("/api/look", b"{}", "POST", (("content-type", kind),)) for kind in TYPES],
        "files": [Asked.json(path, {"file": file, "target": "kind"}) for path in ("/api/look", "/api/jobs")
                  for file in FILES],
        "fields": [Asked.json("/api/jobs", {**look, "target": "kind", name: value})
                   for name, values in FIELDS.items() for value in values],
        "uploads": [Asked("/api/uploads", body, "POST", (), query) for query, body in UPLOADS]
        + [Asked("/api/uploads", b"a", "POST", (("content-length", n),), "name=x.csv") for n in LENGTHS]
        + [Asked("/api/uploads", b"a", "POST", (("content-encoding", n),), "name=x.csv") for n in ("gzip", "br")],
        "large": [Asked("/api/jobs", b" " * (1 << 20) + b"1", "POST", json, parts=parts) for parts in (1, 3)],
        "events": [Asked.get("/api/events", query=query) for query in EVENTS],
        "runs": [one for one in sent if KEY in one.path],
    }  # fmt: skip


def strangers() -> list[Asked]:
    """Every route, asked by somebody who has neither the cookie nor the token."""
    return [Asked(path, b"", method, ()) for method, path in EVERY] + [Asked.get(path) for path in PATHS]


def origins() -> list[Asked]:
    """Every route from the page of somebody else, and one route from every such page."""
    evil = ("origin", "http://evil.example")
    asked = [Asked(path, b"", method, (evil,)) for method, path in EVERY]
    asked += [Asked("/api/jobs", b"{}", "POST", (("origin", origin),)) for origin in ORIGINS]
    sites = ("cross-site", "same-site", "x")
    return asked + [Asked(path, b"", method, (("sec-fetch-site", site),)) for method, path in EVERY for site in sites]
