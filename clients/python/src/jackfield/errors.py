"""What a failed call raises."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


class FailedResponse:
    """The provider's own answer, when a proxied call failed there."""

    def __init__(self, status: int, headers: Mapping[str, str], data: Any) -> None:
        self.status = status
        self.headers = headers
        self.data = data


class JackfieldError(Exception):
    """A call that failed.

    ``code`` is the platform's ``error.code``, or one of the client: ``network_error``,
    ``provider_error`` (with ``response``), ``timeout``, ``connect_failed``, ``unexpected_answer``,
    ``missing_api_key``, ``missing_webhook_signing_key``, and ``webhook_...`` of a webhook that is
    not what the platform sent. ``__cause__`` is what the HTTP library raised.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        retry_after: Optional[float] = None,
        errors: Sequence[Mapping[str, Any]] = (),
        response: Optional[FailedResponse] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: HTTP status; None when there was no answer.
        self.status = status
        #: Seconds after which the platform asks for the next request.
        self.retry_after = retry_after
        #: What exactly is wrong with the request.
        self.errors = list(errors)
        self.response = response
