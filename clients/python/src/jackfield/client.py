"""One environment of a Jackfield installation.

``async_client.py`` is made from this file by ``tools/make_async.py``.
"""

from __future__ import annotations

import json
import random
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from .errors import FailedResponse, JackfieldError
from .transport import Request, Response, Transport, encode, to_query
from .types import (
    AsyncAction,
    Connection,
    ConnectionList,
    ConnectResult,
    ConnectSession,
    DeletesConfirmed,
    DeployedFunction,
    EnvironmentVariable,
    Frequency,
    FunctionPage,
    FunctionType,
    Integration,
    Metadata,
    MetadataChange,
    Provider,
    ProviderResponse,
    PruneResult,
    RecordPage,
    Success,
    SyncReference,
    SyncStatuses,
    SyncVariant,
    WebhookEvent,
)
from .webhooks import TOLERANCE_SECONDS, verify_webhook

_RETRIES = 2
_FIRST_WAIT = 0.25
_LONGEST_WAIT = 30.0
_LONGEST_PAUSE = 3.0
_PASSING = (429, 502, 503, 504)


class Jackfield:
    """A client with the key of one environment; every method raises JackfieldError when its call fails.

    Reads are tried up to three times when the platform cannot be reached or answers 429, 502, 503 or
    504; changes only with an ``idempotency_key``, under which the same call gets the same answer for
    24 hours. ``timeout`` is in seconds and for each attempt.
    """

    def __init__(
        self,
        api_key: str,
        *,
        host: str = "http://127.0.0.1:3003",
        webhook_signing_key: Optional[str] = None,
        timeout: float = 120.0,
    ) -> None:
        if not api_key:
            raise JackfieldError("missing_api_key", "Pass the key of an environment as `api_key`.")
        self._host = host.rstrip("/")
        self._api_key = api_key
        self._webhook_signing_key = webhook_signing_key
        self._transport = Transport(timeout)

    # Providers and integrations

    def list_providers(self, *, search: Optional[str] = None) -> List[Provider]:
        return self._data("GET", "/providers", query={"search": search})

    def get_provider(self, provider: str) -> Provider:
        return self._data("GET", f"/providers/{encode(provider)}")

    def list_integrations(self) -> List[Integration]:
        return self._data("GET", "/integrations")

    def get_integration(self, unique_key: str, *, include: Sequence[str] = ()) -> Integration:
        """``include`` takes ``webhook`` and ``credentials``."""
        query = {"include": list(include)}
        return self._data("GET", f"/integrations/{encode(unique_key)}", query=query)

    def create_integration(
        self,
        provider: str,
        unique_key: str,
        *,
        idempotency_key: Optional[str] = None,
        **fields: Any,
    ) -> Integration:
        """``fields``: ``display_name``, ``credentials``, ``integration_config`` and the like."""
        body = {"provider": provider, "unique_key": unique_key, **fields}
        return self._data("POST", "/integrations", body=body, idempotency_key=idempotency_key)

    def update_integration(self, unique_key: str, **fields: Any) -> Integration:
        """Only the fields that are passed change."""
        return self._data("PATCH", f"/integrations/{encode(unique_key)}", body=fields)

    def delete_integration(self, unique_key: str) -> Success:
        return self._json("DELETE", f"/integrations/{encode(unique_key)}")

    # Functions

    def list_functions(
        self,
        unique_key: str,
        *,
        type: Optional[FunctionType] = None,
        search: Optional[str] = None,
        page: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> FunctionPage:
        query = {"type": type, "search": search, "page": page, "limit": limit}
        return self._json("GET", f"/integrations/{encode(unique_key)}/functions", query=query)

    def get_function(
        self, unique_key: str, name: str, *, type: Optional[FunctionType] = None
    ) -> DeployedFunction:
        path = f"/integrations/{encode(unique_key)}/functions/{encode(name)}"
        return self._data("GET", path, query={"type": type})

    def get_scripts_config(self, *, format: str = "svc") -> Any:
        """What is deployed: a list, or with ``llm`` a dictionary with tools of language models."""
        return self._json("GET", "/scripts/config", query={"format": format})

    # Connections

    def list_connections(
        self,
        *,
        connection_id: Optional[str] = None,
        integration_id: Union[str, Sequence[str], None] = None,
        search: Optional[str] = None,
        tags: Optional[Mapping[str, str]] = None,
        include: Sequence[str] = (),
        limit: Optional[int] = None,
        page: Optional[int] = None,
    ) -> ConnectionList:
        many = integration_id is None or isinstance(integration_id, str)
        query = {
            "connectionId": connection_id,
            "integrationId": integration_id if many else ",".join(integration_id or ()),
            "search": search,
            "tags": tags,
            "include": list(include),
            "limit": limit,
            "page": page,
        }
        return self._json("GET", "/connections", query=query)

    def get_connection(
        self,
        provider_config_key: str,
        connection_id: str,
        *,
        force_refresh: bool = False,
        refresh_token: bool = False,
    ) -> Connection:
        """With credentials, fresh, when the key may read them."""
        query = {
            "provider_config_key": provider_config_key,
            "force_refresh": True if force_refresh else None,
            "refresh_token": True if refresh_token else None,
        }
        return self._json("GET", f"/connections/{encode(connection_id)}", query=query)

    def import_connection(
        self,
        provider_config_key: str,
        credentials: Mapping[str, Any],
        *,
        connection_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        **fields: Any,
    ) -> Connection:
        """``fields``: ``metadata``, ``connection_config``, ``tags``, ``webhook_url_override``."""
        body = {"provider_config_key": provider_config_key, "credentials": credentials, **fields}
        if connection_id is not None:
            body["connection_id"] = connection_id
        return self._json("POST", "/connections", body=body, idempotency_key=idempotency_key)

    def patch_connection(
        self, provider_config_key: str, connection_id: str, **fields: Any
    ) -> Success:
        """``fields``: ``tags``, ``webhook_url_override``, ``webhook_secret``."""
        query = {"provider_config_key": provider_config_key}
        path = f"/connections/{encode(connection_id)}"
        return self._json("PATCH", path, query=query, body=fields)

    def delete_connection(self, provider_config_key: str, connection_id: str) -> Success:
        query = {"provider_config_key": provider_config_key}
        return self._json("DELETE", f"/connections/{encode(connection_id)}", query=query)

    def get_token(
        self, provider_config_key: str, connection_id: str, *, force_refresh: bool = False
    ) -> Union[str, Dict[str, Any]]:
        """The access token; all credentials where the authorization has more than one value."""
        connection = self.get_connection(
            provider_config_key, connection_id, force_refresh=force_refresh
        )
        credentials = connection.get("credentials")
        if credentials is None:
            raise JackfieldError(
                "forbidden",
                "The API key may not read credentials: it needs "
                "environment:connections:read_credentials.",
            )
        for name in ("access_token", "token"):
            if isinstance(credentials.get(name), str):
                return cast(str, credentials[name])
        return credentials

    def get_metadata(self, provider_config_key: str, connection_id: str) -> Metadata:
        connection = self.get_connection(provider_config_key, connection_id)
        return connection["metadata"] or {}

    def set_metadata(
        self,
        provider_config_key: str,
        connection_id: Union[str, Sequence[str]],
        metadata: Metadata,
    ) -> MetadataChange:
        body = _metadata_body(provider_config_key, connection_id, metadata)
        return self._json("POST", "/connections/metadata", body=body)

    def update_metadata(
        self,
        provider_config_key: str,
        connection_id: Union[str, Sequence[str]],
        metadata: Metadata,
    ) -> MetadataChange:
        """Merges the first level."""
        body = _metadata_body(provider_config_key, connection_id, metadata)
        return self._json("PATCH", "/connections/metadata", body=body)

    # Connect sessions

    def create_connect_session(
        self, *, idempotency_key: Optional[str] = None, **fields: Any
    ) -> ConnectSession:
        """``fields``: ``tags``, ``allowed_integrations``, ``allowed_origins``, ``return_url`` ..."""
        path = "/connect/sessions"
        return self._data("POST", path, body=fields, idempotency_key=idempotency_key)

    def create_reconnect_session(
        self,
        integration_id: str,
        connection_id: str,
        *,
        idempotency_key: Optional[str] = None,
        **fields: Any,
    ) -> ConnectSession:
        body = {"integration_id": integration_id, "connection_id": connection_id, **fields}
        path = "/connect/sessions/reconnect"
        return self._data("POST", path, body=body, idempotency_key=idempotency_key)

    def wait_for_connection(self, session_token: str, *, timeout: float = 600.0) -> ConnectResult:
        """The connection that the session with this token makes; ``timeout`` in seconds."""
        end = time.monotonic() + timeout
        pause = _FIRST_WAIT
        while True:
            state = self._data("GET", "/connect/session/result", token=session_token)
            if state["state"] == "error":
                error = state.get("error") or {}
                raise JackfieldError(
                    error.get("type", "connect_failed"),
                    error.get("message", "The connection was not made."),
                )
            if state["state"] == "success":
                return {
                    "connection_id": state.get("connection_id", ""),
                    "provider_config_key": state.get("provider_config_key", ""),
                    "is_pending": state.get("is_pending", False),
                }
            if time.monotonic() + pause > end:
                raise JackfieldError("timeout", f"There was no connection within {timeout:g} s.")
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    # Records

    def list_records(
        self,
        provider_config_key: str,
        connection_id: str,
        model: str,
        *,
        variant: Optional[str] = None,
        modified_after: Optional[str] = None,
        limit: Optional[int] = None,
        filter: Sequence[str] = (),
        cursor: Optional[str] = None,
        ids: Sequence[str] = (),
    ) -> RecordPage:
        """A page; ``filter`` takes ``added``, ``updated``, ``deleted``."""
        query = {
            "model": model,
            "variant": variant,
            "modified_after": modified_after,
            "limit": limit,
            "filter": ",".join(filter) or None,
            "cursor": cursor,
            "ids": list(ids),
        }
        headers = _target(provider_config_key, connection_id)
        return self._json("GET", "/records", query=query, headers=headers)

    def iterate_records(
        self,
        provider_config_key: str,
        connection_id: str,
        model: str,
        *,
        variant: Optional[str] = None,
        modified_after: Optional[str] = None,
        limit: Optional[int] = None,
        filter: Sequence[str] = (),
        cursor: Optional[str] = None,
    ) -> Iterator[Dict[str, Any]]:
        """Every record to the end, page after page of ``limit``.

        Keep ``_svc_metadata["cursor"]`` of the last one and pass it as ``cursor`` next time.
        """
        while True:
            page = self.list_records(
                provider_config_key,
                connection_id,
                model,
                variant=variant,
                modified_after=modified_after,
                limit=limit,
                filter=filter,
                cursor=cursor,
            )
            for record in page["records"]:
                yield record
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def prune_records(
        self,
        provider_config_key: str,
        connection_id: str,
        model: str,
        until_cursor: str,
        *,
        variant: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> PruneResult:
        """Empties payloads up to a cursor; call again while ``has_more``."""
        body = _given(model=model, until_cursor=until_cursor, variant=variant, limit=limit)
        headers = _target(provider_config_key, connection_id)
        return self._json("PATCH", "/records/prune", body=body, headers=headers)

    # Syncs

    def trigger_sync(
        self,
        provider_config_key: str,
        syncs: Sequence[SyncReference] = (),
        connection_id: Optional[str] = None,
        *,
        reset: bool = False,
        empty_cache: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> Success:
        """Of all connections without ``connection_id``, all syncs without ``syncs``."""
        body = _sync_body(provider_config_key, syncs, connection_id)
        if reset or empty_cache:
            body["opts"] = {"reset": reset, "emptyCache": empty_cache}
        return self._json("POST", "/sync/trigger", body=body, idempotency_key=idempotency_key)

    def start_sync(
        self,
        provider_config_key: str,
        syncs: Sequence[SyncReference],
        connection_id: Optional[str] = None,
    ) -> Success:
        body = _sync_body(provider_config_key, syncs, connection_id)
        return self._json("POST", "/sync/start", body=body)

    def pause_sync(
        self,
        provider_config_key: str,
        syncs: Sequence[SyncReference],
        connection_id: Optional[str] = None,
    ) -> Success:
        body = _sync_body(provider_config_key, syncs, connection_id)
        return self._json("POST", "/sync/pause", body=body)

    def sync_status(
        self,
        provider_config_key: str,
        syncs: Union[str, Sequence[SyncReference]] = "*",
        connection_id: Optional[str] = None,
    ) -> SyncStatuses:
        """``*`` is every sync."""
        names = syncs if isinstance(syncs, str) else ",".join(_name_of(sync) for sync in syncs)
        query = {
            "provider_config_key": provider_config_key,
            "connection_id": connection_id,
            "syncs": names,
        }
        return self._json("GET", "/sync/status", query=query)

    def update_sync_connection_frequency(
        self,
        provider_config_key: str,
        sync: SyncReference,
        connection_id: str,
        frequency: Optional[str],
    ) -> Frequency:
        """None gives back the definition's own frequency."""
        name, _, variant = _name_of(sync).partition("::")
        body = {
            "provider_config_key": provider_config_key,
            "connection_id": connection_id,
            "sync_name": name,
            **({"sync_variant": variant} if variant else {}),
            "frequency": frequency,
        }
        return self._json("PUT", "/sync/update-connection-frequency", body=body)

    def create_sync_variant(
        self, provider_config_key: str, connection_id: str, name: str, variant: str
    ) -> SyncVariant:
        path = f"/sync/{encode(name)}/variant/{encode(variant)}"
        return self._json("POST", path, body=_place(provider_config_key, connection_id))

    def delete_sync_variant(
        self, provider_config_key: str, connection_id: str, name: str, variant: str
    ) -> Success:
        path = f"/sync/{encode(name)}/variant/{encode(variant)}"
        return self._json("DELETE", path, body=_place(provider_config_key, connection_id))

    def confirm_deletes(
        self, provider_config_key: str, sync: SyncReference, connection_id: str
    ) -> DeletesConfirmed:
        """Lets the next run of a sync delete as many records as the delete guard has refused."""
        body = {**_place(provider_config_key, connection_id), "sync": sync}
        return self._json("POST", "/sync/confirm-deletes", body=body)

    # Actions

    def trigger_action(
        self,
        provider_config_key: str,
        connection_id: str,
        action_name: str,
        input: Any = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Runs an action and returns its output."""
        return self._json(
            "POST",
            "/action/trigger",
            headers=_target(provider_config_key, connection_id),
            body=_given(action_name=action_name, input=input),
            idempotency_key=idempotency_key,
        )

    def trigger_action_async(
        self,
        provider_config_key: str,
        connection_id: str,
        action_name: str,
        input: Any = None,
        *,
        max_retries: int = 0,
        idempotency_key: Optional[str] = None,
    ) -> AsyncAction:
        """Queues an action; get_async_action_result, or a webhook, has its outcome."""
        headers = {"x-async": "true", "x-max-retries": str(max_retries)}
        return self._json(
            "POST",
            "/action/trigger",
            headers={**_target(provider_config_key, connection_id), **headers},
            body=_given(action_name=action_name, input=input),
            idempotency_key=idempotency_key,
        )

    def get_async_action_result(self, id: str, *, wait_for: float = 0.0) -> Any:
        """The output; while there is none yet, waits for up to ``wait_for`` seconds."""
        end = time.monotonic() + wait_for
        pause = _FIRST_WAIT
        while True:
            try:
                return self._json("GET", f"/action/{encode(id)}")
            except JackfieldError as error:
                # A result that will come says when to ask again; one that is unknown does not.
                is_pending = error.status == 404 and error.retry_after is not None
                if not is_pending or time.monotonic() + pause > end:
                    raise
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    # Environment variables

    def get_environment_variables(self) -> List[EnvironmentVariable]:
        return self._json("GET", "/environment-variables")

    def set_environment_variable(self, name: str, value: str) -> Success:
        return self._json("PUT", f"/environment-variables/{encode(name)}", body={"value": value})

    def delete_environment_variable(self, name: str) -> Success:
        return self._json("DELETE", f"/environment-variables/{encode(name)}")

    # Provider calls

    def proxy(
        self,
        method: str,
        endpoint: str,
        *,
        provider_config_key: str,
        connection_id: str,
        params: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        data: Any = None,
        retries: Optional[int] = None,
        retry_on: Sequence[int] = (),
        base_url_override: Optional[str] = None,
        decompress: Optional[bool] = None,
    ) -> ProviderResponse:
        """A call to the provider's API. ``data`` is sent as JSON, but for text and bytes.

        Raises ``provider_error`` with the answer when the provider refuses.
        """
        control = _given(
            **{
                **_target(provider_config_key, connection_id),
                "retries": None if retries is None else str(retries),
                "retry-on": ",".join(str(status) for status in retry_on) or None,
                "base-url-override": base_url_override,
                "decompress": None if decompress is None else str(decompress).lower(),
            }
        )
        own = {f"svc-proxy-{name}": value for name, value in (headers or {}).items()}
        body: Optional[bytes] = None
        if isinstance(data, str):
            body = data.encode()
        elif isinstance(data, (bytes, bytearray)):
            body = bytes(data)
        elif data is not None:
            body = json.dumps(data).encode()
            if not any(name.lower() == "content-type" for name in headers or {}):
                own["content-type"] = "application/json"
        query = to_query(params or {})
        path = f"/proxy/{endpoint.lstrip('/')}"
        if query and "?" in endpoint:
            query = f"&{query[1:]}"
        response = self._send(method.upper(), f"{path}{query}", {**control, **own}, body)
        answer = response.json() if body_is_text(response) else response.body
        if response.ok:
            return {"status": response.status, "headers": response.headers, "data": answer}
        if is_own_failure(response):
            raise _to_error(response)
        raise JackfieldError(
            "provider_error",
            f"The provider answered {method.upper()} {endpoint.split('?')[0]} "
            f"with {response.status}.",
            status=response.status,
            response=FailedResponse(response.status, response.headers, answer),
        )

    def get(self, endpoint: str, **options: Any) -> ProviderResponse:
        """``proxy`` with GET."""
        return self.proxy("GET", endpoint, **options)

    def post(self, endpoint: str, **options: Any) -> ProviderResponse:
        """``proxy`` with POST."""
        return self.proxy("POST", endpoint, **options)

    def put(self, endpoint: str, **options: Any) -> ProviderResponse:
        """``proxy`` with PUT."""
        return self.proxy("PUT", endpoint, **options)

    def patch(self, endpoint: str, **options: Any) -> ProviderResponse:
        """``proxy`` with PATCH."""
        return self.proxy("PATCH", endpoint, **options)

    def delete(self, endpoint: str, **options: Any) -> ProviderResponse:
        """``proxy`` with DELETE."""
        return self.proxy("DELETE", endpoint, **options)

    # Any other route

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """The parsed answer of a route of the API that has no method here."""
        return self._json(
            method.upper(),
            path,
            query=query,
            body=body,
            headers=headers,
            idempotency_key=idempotency_key,
        )

    # Webhooks

    def verify_webhook(  # stays synchronous
        self,
        body: Union[str, bytes, bytearray, memoryview],
        headers: Mapping[str, str],
        *,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        allow_without_timestamp: bool = False,
    ) -> WebhookEvent:
        """The event of a webhook that the platform sent; see ``jackfield.verify_webhook``."""
        if not self._webhook_signing_key:
            raise JackfieldError(
                "missing_webhook_signing_key",
                "Pass `webhook_signing_key` to the client to verify webhooks.",
            )
        return verify_webhook(
            body,
            headers,
            self._webhook_signing_key,
            tolerance_seconds=tolerance_seconds,
            allow_without_timestamp=allow_without_timestamp,
        )

    # The way to the platform

    def _data(self, method: str, path: str, **options: Any) -> Any:
        answer = self._json(method, path, **options)
        return answer["data"]

    def _json(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
        token: Optional[str] = None,
    ) -> Any:
        sent = dict(headers or {})
        if idempotency_key is not None:
            sent["idempotency-key"] = idempotency_key
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        content: Optional[bytes] = None
        if body is not None:
            content = json.dumps(body).encode()
            sent["content-type"] = "application/json"
        response = self._send(method, f"{path}{to_query(query or {})}", sent, content)
        if not response.ok:
            raise _to_error(response)
        return response.json()

    def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes]
    ) -> Response:
        """Any answer that arrives; what may be repeated is tried up to three times."""
        own = {"authorization": f"Bearer {self._api_key}", "accept": "*/*"}
        own["user-agent"] = "jackfield-python/0.2.0"
        request = Request(method, f"{self._host}{path}", {**own, **headers}, body)
        may_repeat = method == "GET" or "idempotency-key" in headers
        for attempt in range(_RETRIES + 1):
            is_last = attempt == _RETRIES or not may_repeat
            try:
                response = self._transport.send(request)
            except JackfieldError:
                if is_last:
                    raise
                wait = _back_off(attempt)
            else:
                if is_last or not _is_passing(response, path):
                    return response
                wait = _wait_of(response, attempt)
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")


def body_is_text(response: Response) -> bool:
    """Whether an answer can be given as JSON or text; anything else is bytes."""
    kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind == "" or kind.startswith("text/"):
        return True
    return kind.endswith(("/json", "+json", "/xml", "+xml", "/x-www-form-urlencoded"))


def is_own_failure(response: Response) -> bool:
    """Whether the platform itself failed, not the provider behind it."""
    headers = response.headers
    return headers.get("svc-error-source") == "platform" and "svc-answered-by" not in headers


def _is_passing(response: Response, path: str) -> bool:
    if response.status not in _PASSING:
        return False
    return not path.startswith("/proxy/") or is_own_failure(response)


def _wait_of(response: Response, attempt: int) -> float:
    seconds = _seconds(response.headers.get("retry-after"))
    return min(seconds, _LONGEST_WAIT) if seconds else _back_off(attempt)


def _back_off(attempt: int) -> float:
    return _FIRST_WAIT * 2.0**attempt * (0.5 + random.random())


def _seconds(text: Optional[str]) -> Optional[float]:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _to_error(response: Response) -> JackfieldError:
    body = response.json()
    error = body.get("error") if isinstance(body, dict) else None
    known = error if isinstance(error, dict) else {}
    return JackfieldError(
        str(known.get("code", "unexpected_answer")),
        str(known.get("message", f"The platform answered with {response.status}.")),
        status=response.status,
        retry_after=_seconds(response.headers.get("retry-after")),
        errors=known.get("errors") or (),
    )


def _target(provider_config_key: str, connection_id: str) -> Dict[str, str]:
    return {"provider-config-key": provider_config_key, "connection-id": connection_id}


def _place(provider_config_key: str, connection_id: str) -> Dict[str, Any]:
    return {"provider_config_key": provider_config_key, "connection_id": connection_id}


def _given(**fields: Any) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _metadata_body(
    provider_config_key: str, connection_id: Union[str, Sequence[str]], metadata: Metadata
) -> Dict[str, Any]:
    ids = connection_id if isinstance(connection_id, str) else list(connection_id)
    return {
        "provider_config_key": provider_config_key,
        "connection_id": ids,
        "metadata": metadata,
    }


def _sync_body(
    provider_config_key: str, syncs: Sequence[SyncReference], connection_id: Optional[str]
) -> Dict[str, Any]:
    body: Dict[str, Any] = {"provider_config_key": provider_config_key, "syncs": list(syncs)}
    if connection_id is not None:
        body["connection_id"] = connection_id
    return body


def _name_of(sync: SyncReference) -> str:
    return sync if isinstance(sync, str) else f"{sync['name']}::{sync['variant']}"
