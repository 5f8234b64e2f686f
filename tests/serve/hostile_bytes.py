"""Bytes for a socket that are no request of HTTP/1.1, or two requests where there should be one."""

from __future__ import annotations

NO_REQUESTS = [
    b"\r\n\r\n", b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"GET /\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/2.0\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTQ/1.1\r\n\r\n",
    b"G\x00T / HTTP/1.1\r\n\r\n", b"GET /\x00 HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n", b"\x00" * 100,
    b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"GET / HTTP/1.1\r\nA: b\x00c\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: abc\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", b"<?xml version='1.0'?>\r\n\r\n",
    b"GET http://evil.example/predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n", b"GET 127.0.0.1:{port}/health HTTP/1.1\r\n\r\n",
    b"GET health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"GET \\health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"GET /health HTTP/1.0\r\n\r\n", b"GET /health HTTP/1.0\r\nHost: evil.example\r\n\r\n", b"GET /health\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
    b"GET http://127.0.0.1:{port}/health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost:\t127.0.0.1:{port}\t\r\nConnection: close\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n evil\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
]  # fmt: skip
SMUGGLED = [
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /models HTTP/1.1\r\n\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding: identity, chunked, x\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "Content-Length: 2, 2\r\n\r\n{}",
    "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "X: a\r\n Content-Length: 2\r\n\r\n{}", "X: a\nContent-Length: 2\n\n{}\r\n\r\n", "X\r\nContent-Length: 2\r\n\r\n{}",
    "Host: evil.example\r\nContent-Length: 2\r\n\r\n{}", "X: a\rHost: evil.example\r\nContent-Length: 2\r\n\r\n{}",
]  # fmt: skip
