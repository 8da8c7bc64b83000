"""Objects at addresses as binary files: read by ranges, some of them ahead.

Every request can be left at any time, however silent the server is: it runs on an event loop
in a thread of its own, and who waits for it looks for interrupts meanwhile.
"""

from __future__ import annotations

import asyncio
import atexit
import io
import os
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from typing import Any, TypeVar

from cranfield._base.errors import failure
from cranfield._core import Error, check_interrupt
from cranfield._io.addresses import RETRIES, RemoteAddress, refused

T = TypeVar("T")

BLOCK = 4 << 20
"""How many bytes one request asks for."""

AHEAD = 4
"""How many blocks are asked for before they are needed."""

KEPT = 8
"""How many blocks of a file are kept."""

FILES_AHEAD = 8
"""Of how many files the first block is asked for before they are opened."""

_POLL = 0.05
"""How many seconds pass between two looks at whether the work is to stop."""

_LATE = 0.25
"""For how many seconds the threads of obstore may look for who asked, after a request was left."""


REQUESTS = 16
"""How many requests are made at a time."""


class _Loop:
    """The loop that waits for servers; a new one after a fork."""

    process: int | None = None
    loop: asyncio.AbstractEventLoop
    turns: asyncio.Semaphore
    over = 0.0
    """When no thread looks any more for who asked."""
    lock = threading.Lock()

    @classmethod
    def get(cls) -> asyncio.AbstractEventLoop:
        with cls.lock:
            if cls.process != os.getpid():
                cls.loop = asyncio.new_event_loop()
                # At the end of the process it says of every request that it was left.
                cls.loop.set_exception_handler(lambda loop, context: None)
                cls.turns = asyncio.Semaphore(REQUESTS)
                run = cls.loop.run_forever
                threading.Thread(target=run, name="cranfield-read", daemon=True).start()
                cls.process = os.getpid()
                atexit.register(_end)
            return cls.loop


async def _left() -> None:
    """Ends all other requests."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _end() -> None:
    """Ends all requests before the interpreter does: what comes later finds none."""
    if _Loop.process == os.getpid():
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(_left(), _Loop.loop).result(1)
        # A thread that does so later finds no interpreter, and says that it panicked.
        time.sleep(max(0.0, _Loop.over - time.monotonic()))


def begun(request: Callable[..., Coroutine[Any, Any, T]], *given: Any) -> Future[T]:
    """What a request gives, which is made as soon as few others are."""

    async def in_turn() -> T:
        late = _POLL
        try:
            async with _Loop.turns:
                return await request(*given)
        except asyncio.CancelledError:
            late = _LATE
            raise
        finally:
            _Loop.over = time.monotonic() + late

    return asyncio.run_coroutine_threadsafe(in_turn(), _Loop.get())


def awaited(future: Future[T]) -> T:
    """What a request gives; an interrupt ends it."""
    try:
        while True:
            try:
                return future.result(_POLL)
            except NotYet:
                if future.done():
                    raise
                check_interrupt()
    except BaseException:
        future.cancel()
        raise


def answered(request: Callable[..., Coroutine[Any, Any, T]], *given: Any) -> T:
    """What a request gives that is made now; an interrupt ends it."""
    return awaited(begun(request, *given))


class _NoRangesError(Exception):
    """The server sends whole objects only."""


class RemoteFile(io.RawIOBase):
    """An object as a binary file that can be sought in.

    Raises ``Error`` (kinds "missing" and "io") from each method that reads.
    """

    def __init__(self, remote: RemoteAddress) -> None:
        super().__init__()
        if remote.size is None:
            answered(look_up, remote)
        self._remote = remote
        self._size = remote.size or 0
        self.name = remote.label
        self._position = 0
        self._blocks: OrderedDict[int, Future[bytes]] = OrderedDict()
        self._whole: Any = None
        if remote.ahead is not None and (first := remote.ahead.taken(remote)) is not None:
            self._blocks[0] = first

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """The place of the next byte."""
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        """Goes to a place, counted from the beginning, from here or from the end."""
        base = (0, self._position, self._size)[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer with the next bytes; returns how many there were."""
        if self._position >= self._size or len(buffer) == 0:
            return 0
        if self._whole is None:
            number = self._position // BLOCK
            try:
                data = self._block(number)
            except _NoRangesError:
                self._whole = answered(_downloaded, self._remote)
            else:
                start = self._position - number * BLOCK
                part = data[start : start + len(buffer)]
                buffer[: len(part)] = part
                self._position += len(part)
                return len(part)
        self._whole.seek(self._position)
        part = self._whole.read(len(buffer))
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def close(self) -> None:
        """Forgets what was read."""
        for future in self._blocks.values():
            future.cancel()
        self._blocks.clear()
        if self._whole is not None:
            self._whole.close()
        super().close()

    def _block(self, number: int) -> bytes:
        # Who reads from the beginning, or on, is likely to go on.
        goes_on = number == 0 or number - 1 in self._blocks
        last = (self._size - 1) // BLOCK
        for wanted in range(number, min(number + (AHEAD if goes_on else 0), last) + 1):
            if wanted not in self._blocks:
                self._blocks[wanted] = begun(_fetched, self._remote, wanted)
        self._blocks.move_to_end(number)
        while len(self._blocks) > KEPT:
            oldest = next(iter(self._blocks))
            self._blocks.pop(oldest).cancel()
        return awaited(self._blocks[number])


async def _repeated(remote: RemoteAddress, request: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What a request gives; one that fails is made again, as obstore does until a body begins."""
    for attempt in range(RETRIES + 1):
        try:
            return await request()
        except Exception as error:
            if isinstance(error, (Error, _NoRangesError)):
                raise
            if isinstance(error, FileNotFoundError) or attempt == RETRIES:
                raise refused(error, remote.label, "read this object") from None
        await asyncio.sleep(0.1 * 2**attempt)
    raise AssertionError(remote)


async def _fetched(remote: RemoteAddress, number: int) -> bytes:
    """A block of an object."""
    import obstore

    start = number * BLOCK
    end = min(start + BLOCK, remote.size or 0)
    asked: Any = {"range": (start, end)}

    async def block() -> bytes:
        try:
            result = await obstore.get_async(remote.store, remote.key, options=asked)
        except Exception as error:
            if _is_about_ranges(error):
                raise _NoRangesError from None
            raise
        _check_version(remote, result.meta)
        data = bytes(await result.bytes_async())
        _check_size(len(data), end - start)
        return data

    return await _repeated(remote, block)


def _is_about_ranges(error: Exception) -> bool:
    text = str(error).lower()
    return type(error).__name__ == "NotSupportedError" or "range" in text.partition("\n")[0]


def _check_version(remote: RemoteAddress, meta: Any) -> None:
    version = meta.get("e_tag")
    known = version is not None and remote.version is not None
    if meta["size"] != remote.size or (known and version != remote.version):
        raise failure("io", "the object changed while it was read", file=remote.label)


def _check_size(found: int, expected: int) -> None:
    """Raises ``OSError`` for an answer that ends too early."""
    if found != expected:
        raise OSError(f"expected {expected} bytes, found {found}")


async def _downloaded(remote: RemoteAddress) -> Any:
    """A temporary file with the content of an object, for servers without ranges."""
    import obstore

    file = tempfile.TemporaryFile(prefix="cranfield-")  # noqa: SIM115 - returned

    async def content() -> Any:
        file.seek(0)
        file.truncate()
        result = await obstore.get_async(remote.store, remote.key)
        _check_version(remote, result.meta)
        async for chunk in result.stream(min_chunk_size=1 << 20):
            file.write(chunk)
        _check_size(file.tell(), remote.size or 0)
        return file

    try:
        return await _repeated(remote, content)
    except BaseException:
        file.close()
        raise


class Ahead:
    """The first blocks of files, asked for before these are opened."""

    def __init__(self, remotes: Sequence[RemoteAddress]) -> None:
        self._remotes = list(remotes)
        self._numbers = {id(remote): number for number, remote in enumerate(self._remotes)}
        self._futures: dict[int, Future[bytes]] = {}
        self._next = 0
        self._lock = threading.Lock()
        for remote in self._remotes:
            remote.ahead = self

    def taken(self, remote: RemoteAddress) -> Future[bytes] | None:
        """The first block of a file, if it was asked for; others are asked for now."""
        number = self._numbers.get(id(remote))
        if number is None:
            return None
        with self._lock:
            last = min(number + FILES_AHEAD, len(self._remotes) - 1)
            while self._next <= last:
                self._futures[self._next] = begun(_first, self._remotes[self._next])
                self._next += 1
            return self._futures.pop(number, None)


async def _first(remote: RemoteAddress) -> bytes:
    await look_up(remote)
    return await _fetched(remote, 0)


async def look_up(remote: RemoteAddress) -> None:
    """Asks for the size and the version of an object; raises ``Error`` (kinds "missing", "io")."""
    import obstore

    if remote.size is not None:
        return
    store = remote.store
    try:
        meta = await obstore.head_async(store, remote.key)
    except Exception as error:
        if isinstance(error, FileNotFoundError) and not remote.is_web:
            raise refused(error, remote.label, "read this object") from None
        # Not every server answers to HEAD.
        try:
            meta = (await obstore.get_async(store, remote.key)).meta
        except Exception as error:
            raise refused(error, remote.label, "read this object") from None
    remote.size, remote.version = meta["size"], meta.get("e_tag")


async def beginning(remote: RemoteAddress, size: int) -> bytes:
    """The first bytes of an object."""
    import obstore

    asked: Any = {"range": (0, size)}
    result = await obstore.get_async(remote.store, remote.key, options=asked)
    return bytes(await result.bytes_async())


async def listed(store: Any, prefix: str | None) -> list[Any]:
    """What is known of the objects in a folder."""
    import obstore

    metas: list[Any] = []
    async for chunk in obstore.list(store, prefix):
        metas.extend(chunk)
    return metas
