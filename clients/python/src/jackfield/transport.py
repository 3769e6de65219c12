"""One HTTP exchange with the standard library; redirects are answers like others."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode

from .errors import JackfieldError


class Request:
    def __init__(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes]
    ) -> None:
        self.method = method
        self.url = url
        self.headers = dict(headers)
        self.body = body


class Response:
    def __init__(self, status: int, headers: Iterable[Tuple[str, str]], body: bytes) -> None:
        self.status = status
        #: By name in lower case; of a repeated one the last.
        self.headers: Dict[str, str] = {name.lower(): value for name, value in headers}
        self.body = body

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> Any:
        """The parsed body; None when there is none, text when it is not JSON."""
        if not self.body:
            return None
        text = self.body.decode("utf-8", "replace")
        try:
            return json.loads(text)
        except ValueError:
            return text


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    # urllib would send the API key to wherever the answer points.
    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


class Transport:
    """Safe for use by several threads."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)

    def send(self, request: Request) -> Response:
        """Any answer that arrives; raises ``network_error`` when none does."""
        outgoing = urllib.request.Request(
            request.url, data=request.body, headers=request.headers, method=request.method
        )
        try:
            with self._opener.open(outgoing, timeout=self._timeout) as answer:
                return Response(answer.status, answer.headers.items(), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Response(error.code, error.headers.items(), error.read())
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            host = "/".join(request.url.split("/", 3)[:3])
            raise JackfieldError("network_error", f"{host} cannot be reached: {reason}") from error


def to_query(query: Mapping[str, Any]) -> str:
    """``?a=1``, lists as repeated keys, objects as ``tags[key]=value``; None is left out."""
    pairs = []
    for name, value in query.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            pairs += [(f"{name}[{key}]", _to_text(item)) for key, item in value.items()]
        elif isinstance(value, (list, tuple)):
            pairs += [(name, _to_text(item)) for item in value]
        else:
            pairs.append((name, _to_text(value)))
    return f"?{urlencode(pairs)}" if pairs else ""


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def encode(segment: str) -> str:
    """One segment of a path. ``.`` and ``..`` would be steps of the path in any encoding."""
    if segment in ("", ".", ".."):
        raise JackfieldError("invalid_uri_params", f"{segment!r} cannot be an id or a name.")
    return quote(segment, safe="")
