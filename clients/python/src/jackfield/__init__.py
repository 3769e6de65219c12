"""Jackfield from a Python backend: connections, proxy, records, syncs, actions and webhooks."""

from . import types
from .async_client import AsyncJackfield
from .client import Jackfield
from .errors import FailedResponse, JackfieldError
from .types import WebhookEvent
from .webhooks import verify_webhook

__all__ = [
    "AsyncJackfield",
    "FailedResponse",
    "Jackfield",
    "JackfieldError",
    "WebhookEvent",
    "types",
    "verify_webhook",
]

__version__ = "0.2.0"
