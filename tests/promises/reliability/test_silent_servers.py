"""Ctrl-C while a server says nothing, or a byte now and then: heard at once, and nothing waits.

The time counts from the signal to the end of the process.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("obstore")

WITHIN = 5.0
"""Seconds, with the end of the interpreter, on a machine with much other work: an idle one
needs a tenth. A request that is not left takes 25 and more."""

BODY = b"1 Q0 a 1 2.0 x\n" * 1000


@contextmanager
def silent(how: str) -> Iterator[tuple[str, threading.Event]]:
    """The address of a server, and what is set when somebody has asked."""
    server, asked = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def answer(connection: socket.socket) -> None:
        try:
            request = connection.recv(4096)
            asked.set()
            if how == "drips":
                head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY)
                connection.sendall(head)
                for byte in b"" if request.startswith(b"HEAD") else BODY:
                    connection.sendall(bytes([byte]))
                    time.sleep(0.5)
                connection.close()
            else:
                time.sleep(60)
        except OSError:
            pass

    def accept() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
    finally:
        server.close()


CALLS = {
    "evaluate": "cf.evaluate(f'{server}/q', f'{server}/r', 'AP')",
    "many runs": "cf.evaluate({'1': {'a': 1}}, [f'{server}/{n}' for n in range(20)], 'AP')",
    "threads": "cf.read_runs([f'{server}/{n}' for n in range(9)], threads=2, layout='trec')",
    "battles": "cf.battles.read(f'{server}/b')",
    "groups": "cf.evaluate({'1': {'a': 1}}, {'x': {'1': {'a': 1.0}}}).by_group(f'{server}/g')",
    "texts": "cf.diff({'1': {'a': 1}}, *[{'1': {'a': 1.0}}] * 2, 'AP', queries=f'{server}/t')",
    "bucket": "cf.read_run('s3://bucket/x', layout='trec')",
    "eval": "main(['eval', f'{server}/q', f'{server}/r'])",
}


@pytest.mark.parametrize("how", ["is silent", "drips"])
@pytest.mark.parametrize("name", CALLS)
def test_a_request_can_be_left(name: str, how: str) -> None:
    # The threads of a server never end: they get a process of their own.
    beside = [sys.executable, __file__, name, how]
    done = subprocess.run(beside, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr


def leaves(name: str, how: str) -> None:
    """Interrupts a call while a server does not answer."""
    with silent(how) as (server, asked):
        # A job in the background ignores the signal; this process and no other is to hear it.
        code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        code += f"import cranfield as cf; server = {server!r}\n"
        code += "import sys; from cranfield._cli import main\n"
        code += f"sys.exit({CALLS[name]})"
        environment = {
            **os.environ,
            "AWS_ENDPOINT_URL": server,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "y",
        }
        with subprocess.Popen(
            [sys.executable, "-c", code], stderr=subprocess.PIPE, env=environment
        ) as started:
            assert asked.wait(60)
            time.sleep(0.3)
            assert started.poll() is None
            sent = time.monotonic()
            started.send_signal(signal.SIGINT)
            errors = started.communicate()[1].decode()
            passed = time.monotonic() - sent
    assert started.returncode == (130 if name == "eval" else -signal.SIGINT), errors
    assert passed < WITHIN, errors
    assert "panicked" not in errors, errors
    assert "never awaited" not in errors, errors


if __name__ == "__main__":
    leaves(*sys.argv[1:])
