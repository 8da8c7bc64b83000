"""Real servers on the loopback: HTTP with and without ranges, dropping connections on purpose."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Behaviour:
    """What a server does, and what it was asked."""

    def __init__(self, folder: Path, *, ranges: bool, drops: int, head: bool) -> None:
        self.folder = folder
        self.ranges = ranges
        self.drops = drops
        """How many answers end in the middle."""
        self.head = head
        self.requests: list[str] = []
        self.lock = threading.Lock()

    def drops_now(self) -> bool:
        with self.lock:
            self.drops -= 1
            return self.drops >= 0


@contextmanager
def http(
    folder: Path, *, ranges: bool = True, drops: int = 0, head: bool = True
) -> Iterator[tuple[str, Behaviour]]:
    """A server of a folder; yields its address."""
    behaviour = Behaviour(folder, ranges=ranges, drops=drops, head=head)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            if not behaviour.head:
                self.send_error(405)
                return
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            behaviour.requests.append(f"{self.command} {self.path}")
            path = folder / self.path.partition("?")[0].lstrip("/")
            if not path.is_file():
                self.send_error(404)
                return
            data = path.read_bytes()
            asked = self.headers.get("Range")
            if asked and behaviour.ranges:
                start, _, end = asked.removeprefix("bytes=").partition("-")
                first, last = int(start), min(int(end or len(data)), len(data) - 1)
                part = data[first : last + 1]
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
            else:
                part = data
                self.send_response(200)
            self.send_header("Content-Length", str(len(part)))
            self.end_headers()
            if not body:
                return
            if behaviour.drops_now():
                self.wfile.write(part[: len(part) // 2])
                self.close_connection = True
                return
            self.wfile.write(part)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", behaviour
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
