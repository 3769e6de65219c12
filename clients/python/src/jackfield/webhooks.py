"""Webhooks that the platform sends, verified by Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import List, Mapping, Optional, Sequence, Union, cast

from .errors import JackfieldError
from .types import WebhookEvent

TOLERANCE_SECONDS = 5 * 60
_STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verify_webhook(
    body: Union[str, bytes, bytearray, memoryview],
    headers: Mapping[str, str],
    signing_key: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    allow_without_timestamp: bool = False,
) -> WebhookEvent:
    """The event of a webhook that the platform sent.

    ``body`` is text or bytes as received: a body that was parsed and serialized again has another
    signature. ``signing_key`` is ``whsec_...`` of the environment; several while one replaces
    another. ``allow_without_timestamp`` accepts a webhook that has ``x-svc-hmac-sha256`` only, a
    signature that covers no time: anyone who has seen the webhook can send it again.

    Raises JackfieldError with one of the codes ``webhook_body_parsed``, ``webhook_header_missing``,
    ``webhook_timestamp_invalid``, ``webhook_key_invalid``, ``webhook_signature_mismatch``,
    ``webhook_body_invalid``.
    """
    content = _to_bytes(body)
    keys = [signing_key] if isinstance(signing_key, str) else list(signing_key)
    given = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in _STANDARD if not given.get(name)]
    if not missing:
        _require_recent(given["webhook-timestamp"], tolerance_seconds)
        signed = f"{given['webhook-id']}.{given['webhook-timestamp']}.".encode() + content
        sent = _read_signatures(given["webhook-signature"])
        _require_signed([_decode_key(key) for key in keys], signed, sent)
        return _parse(content)
    older = given.get("x-svc-hmac-sha256")
    if not allow_without_timestamp or older is None:
        hint = (
            "Pass all headers of the request."
            if older is None
            else "Its x-svc-hmac-sha256 covers no time, so anyone who has seen the webhook could "
            "send it again; allow_without_timestamp accepts it all the same."
        )
        raise JackfieldError(
            "webhook_header_missing", f"The request has no {', '.join(missing)}. {hint}"
        )
    is_hex = re.fullmatch("(?:[0-9a-fA-F]{2}){32}", older) is not None
    digests = [bytes.fromhex(older)] if is_hex else []
    _require_signed([key.encode() for key in keys], content, digests)
    return _parse(content)


def _to_bytes(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise JackfieldError(
        "webhook_body_parsed",
        f"The body is of type {type(body).__name__}, not text or bytes: pass it as received, before "
        "JSON is parsed (Flask: request.get_data(); Django: request.body; FastAPI: await "
        "request.body()).",
    )


def _require_recent(timestamp: str, tolerance_seconds: float) -> None:
    if not re.fullmatch(r"\d{1,12}", timestamp):
        when = f"is not a time: {timestamp[:32]}"
        raise JackfieldError("webhook_timestamp_invalid", f"webhook-timestamp {when}.")
    age = time.time() - int(timestamp)
    if abs(age) <= tolerance_seconds:
        return
    where = "old" if age > 0 else "ahead"
    raise JackfieldError(
        "webhook_timestamp_invalid",
        f"webhook-timestamp is {abs(age):.0f} s {where}, more than {tolerance_seconds:g} s: it is a "
        "repetition, or a clock is wrong.",
    )


def _decode_key(key: str) -> bytes:
    text = key[len("whsec_") :] if key.startswith("whsec_") else key
    decoded = _decode_base64(text)
    if decoded:
        return decoded
    raise JackfieldError(
        "webhook_key_invalid",
        "The signing key is not one of Jackfield: copy `signing_key` (whsec_...) of "
        "GET /environment/webhooks.",
    )


def _decode_base64(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _read_signatures(header: str) -> List[bytes]:
    parts = (signature.partition(",") for signature in header.split(" "))
    decoded = [_decode_base64(text) for version, _, text in parts if version == "v1"]
    return [signature for signature in decoded if signature is not None]


def _require_signed(keys: Sequence[bytes], content: bytes, sent: Sequence[bytes]) -> None:
    for key in keys:
        wanted = hmac.new(key, content, hashlib.sha256).digest()
        if key and any(hmac.compare_digest(wanted, signature) for signature in sent):
            return
    raise JackfieldError(
        "webhook_signature_mismatch",
        "No signature fits: the signing key is of another environment or was rotated, or the body is "
        "not as it was received (parsed, re-encoded or cut).",
    )


def _parse(content: bytes) -> WebhookEvent:
    try:
        return cast(WebhookEvent, json.loads(content))
    except ValueError as error:
        raise JackfieldError(
            "webhook_body_invalid", "The body is signed, but it is not JSON."
        ) from error
