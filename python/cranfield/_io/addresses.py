"""Files at addresses: ``s3://``, ``gs://``, ``az://``, ``https://``, through obstore.

Credentials, regions and endpoints are those that obstore takes from the environment. No
message has more of an address than scheme, host and path: the rest may be a signature.
"""

from __future__ import annotations

import os
from functools import lru_cache

from cranfield._base.errors import failure, optional, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from concurrent.futures import Future
    from typing import Any

    from cranfield._core import Error

WEB = ("http", "https")
"""Schemes of servers that list nothing."""

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss", *WEB)
"""The schemes of addresses, apart from ``file``."""

RETRIES = 5
"""How often a request is tried again."""

RETRY_SECONDS = 60
"""No request is tried again after so many seconds."""

TIMEOUT_SECONDS = 30
"""How long one request may take."""


def is_address(text: str) -> bool:
    """Whether a text is an address of something that is not on this machine."""
    scheme, slashes, _ = text.partition("://")
    return bool(slashes) and scheme.lower() in SCHEMES


def local_path(text: str) -> str:
    """The path of a ``file://`` address; any other text as it is."""
    if not text.lower().startswith("file://"):
        return text
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    return url2pathname(urlsplit(text).path)


def shown(address: str) -> str:
    """An address without what may be secret: user, password, query, fragment."""
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    if ":" in host.rpartition("@")[0] or scheme.lower() in WEB:
        host = host.rpartition("@")[2]
    if scheme.lower() in WEB:
        host, path = _before_query(host), _before_query(path)
    return f"{scheme}://{host}{slash}{path}"


def scrubbed(text: str) -> str:
    """A message of a library, cut to its first line, whose addresses have no secrets."""
    import re

    line = text.partition("\n")[0]
    return short(
        re.sub(r"[a-z][a-z0-9+.-]*://[^\s\"')]+", lambda m: _before_query(shown(m.group())), line)
    )


def _before_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


def refused(error: Exception, label: str, what: str) -> Error:
    """The error for what obstore raised; to be raised ``from None``, which hides its text."""
    kind = type(error).__name__
    if isinstance(error, FileNotFoundError) or kind == "NotFoundError":
        return failure("missing", "there is no such object", file=label)
    if kind in ("PermissionDeniedError", "UnauthenticatedError"):
        message = f"cannot {what}: access was denied; look at the credentials in the environment"
        return failure("io", message, file=label)
    limits = f"{RETRIES} retries within {RETRY_SECONDS} s"
    return failure("io", f"cannot {what} ({limits}): {scrubbed(str(error))}", file=label)


def parts_of(address: str) -> tuple[str, str]:
    """The store that an address is in, and the key there."""
    scheme, _, rest = address.partition("://")
    scheme = scheme.lower()
    if scheme in WEB:
        from urllib.parse import unquote, urlsplit

        split = urlsplit(address)
        query = f"?{split.query}" if split.query else ""
        return f"{scheme}://{split.netloc}/{query}", unquote(split.path).lstrip("/")
    host, _, key = rest.partition("/")
    if ":" in host.rpartition("@")[0]:
        message = "expected no credentials in an address; obstore takes them from the environment"
        raise failure("option", message, file=shown(address))
    return f"{scheme}://{host}", key


@lru_cache(maxsize=64)
def _store(base: str, process: int) -> Any:
    """The store of an address without its key; one for each process."""
    del process
    from datetime import timedelta

    stores = optional("obstore.store", f"reading {shown(base)}", "cloud")
    scheme = base.partition("://")[0]
    endpoint = os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT") or ""
    options: dict[str, Any] = {
        "timeout": timedelta(seconds=TIMEOUT_SECONDS),
        "connect_timeout": timedelta(seconds=10),
    }
    if scheme == "http" or endpoint.startswith("http://"):
        options["allow_http"] = True
    retry = {
        "max_retries": RETRIES,
        "retry_timeout": timedelta(seconds=RETRY_SECONDS),
        "backoff": {
            "init_backoff": timedelta(milliseconds=100),
            "max_backoff": timedelta(seconds=5),
            "base": 2,
        },
    }
    make = stores.HTTPStore.from_url if scheme in WEB else stores.from_url
    try:
        return make(base, client_options=options, retry_config=retry)
    except Exception as error:
        raise refused(error, shown(base), "open this address") from None


def store_of(base: str) -> Any:
    """The store of an address without its key; raises ``MissingPackageError`` without obstore."""
    return _store(base, os.getpid())


class RemoteAddress:
    """Where an object is, and what is known of it."""

    __slots__ = ("_base", "_begun", "ahead", "key", "label", "size", "version")

    def __init__(self, address: str, size: int | None = None, version: str | None = None) -> None:
        self._base, self.key = parts_of(address)
        """The store that it is in, and its key there."""
        self.label = shown(address)
        self.size = size
        self.version = version
        """What tells one content from another, if the store says."""
        self.ahead: Any = None
        """The first blocks of several files, asked for together."""
        self._begun: Future[bytes] | None = None
        """Its first bytes, once they are asked for."""

    def __getstate__(self) -> tuple[Any, ...]:
        return self._base, self.key, self.label, self.size, self.version

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._base, self.key, self.label, self.size, self.version = state
        self.ahead = self._begun = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"

    @property
    def store(self) -> Any:
        """The store that it is in."""
        return store_of(self._base)

    @property
    def is_web(self) -> bool:
        """Whether it is on a server of http."""
        return self._base.partition("://")[0] in WEB


def translated(pattern: str) -> re.Pattern[str]:
    """A glob as an expression for keys: ``*`` stays in a folder, ``**`` does not."""
    import re

    text = ""
    for token in re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|.", pattern, re.DOTALL):
        if token == "**/":
            text += "(?:.*/)?"
        elif token == "**":
            text += ".*"
        elif token == "*":
            text += "[^/]*"
        elif token == "?":
            text += "[^/]"
        elif token[0] == "[" and len(token) > 2:
            inner = token[1:-1].replace("\\", r"\\")
            text += f"[^{inner[1:]}]" if inner[0] == "!" else f"[{inner}]"
        else:
            text += re.escape(token)
    return re.compile(text)
