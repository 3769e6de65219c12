"""Shapes that the API answers with. They are dictionaries as they came, with types for the reader."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

Metadata = Dict[str, Any]
Tags = Dict[str, str]
FunctionType = Literal["action", "sync", "on-event"]


class _SyncName(TypedDict):
    name: str
    variant: str


#: A name, ``name::variant``, or both apart.
SyncReference = Union[str, _SyncName]


class Success(TypedDict):
    success: bool


class _ProviderFields(TypedDict, total=False):
    unverified: bool
    docs: str
    docs_connect: str
    proxy: Dict[str, Any]


class Provider(_ProviderFields):
    name: str
    display_name: str
    family: str
    family_name: str
    categories: List[str]
    auth_mode: str
    logo_url: str


class _IntegrationFields(TypedDict, total=False):
    integration_config: Dict[str, str]
    custom: Dict[str, str]
    settings: Dict[str, Any]
    webhook_url: Optional[str]
    credentials: Optional[Dict[str, Any]]


class Integration(_IntegrationFields):
    unique_key: str
    provider: str
    display_name: str
    logo: str
    forward_webhooks: bool
    created_at: str
    updated_at: str


class ConnectionError_(TypedDict):
    type: str
    log_id: str


class _ConnectionFields(TypedDict, total=False):
    #: Only for keys that may read credentials; ``type`` says which they are.
    credentials: Dict[str, Any]


class Connection(_ConnectionFields):
    id: int
    connection_id: str
    provider_config_key: str
    provider: str
    errors: List[ConnectionError_]
    metadata: Optional[Metadata]
    tags: Tags
    connection_config: Dict[str, Any]
    created: str
    created_at: str
    updated_at: str
    last_fetched_at: Optional[str]
    webhook_url_override: Optional[str]
    has_webhook_secret: bool


class ConnectionList(TypedDict):
    connections: List[Connection]


class MetadataChange(TypedDict):
    connection_id: Union[str, List[str]]
    provider_config_key: str
    metadata: Metadata


class ConnectSession(TypedDict):
    token: str
    connect_link: str
    expires_at: str


class ConnectResult(TypedDict):
    connection_id: str
    provider_config_key: str
    is_pending: bool


class RecordPage(TypedDict):
    #: Fields of the model, with ``id`` and ``_svc_metadata``.
    records: List[Dict[str, Any]]
    next_cursor: Optional[str]


class PruneResult(TypedDict):
    count: int
    has_more: bool


class _SyncStatusFields(TypedDict, total=False):
    finishedAt: str
    consecutive_failures: int


class SyncStatus(_SyncStatusFields):
    id: str
    connection_id: str
    name: str
    variant: str
    type: Literal["INITIAL", "INCREMENTAL"]
    status: Literal["RUNNING", "PAUSED", "STOPPED", "SUCCESS", "ERROR"]
    frequency: Optional[str]
    nextScheduledSyncAt: Optional[str]
    latestExecutionStatus: Optional[Literal["RUNNING", "SUCCESS", "STOPPED"]]
    latestResult: Dict[str, Dict[str, int]]
    recordCount: Dict[str, int]
    checkpoint: Optional[Dict[str, Any]]


class SyncStatuses(TypedDict):
    syncs: List[SyncStatus]


class Frequency(TypedDict):
    frequency: str


class SyncVariant(TypedDict):
    id: str
    name: str
    variant: str


class AllowedDeletes(TypedDict):
    model: str
    deletes: int


class DeletesConfirmed(TypedDict):
    allowed: List[AllowedDeletes]


class AsyncAction(TypedDict):
    id: str
    statusUrl: str


class EnvironmentVariable(TypedDict):
    name: str
    value: str


class _DeployedFunctionFields(TypedDict, total=False):
    description: str
    scopes: List[str]


class DeployedFunction(_DeployedFunctionFields):
    id: int
    name: str
    type: FunctionType
    enabled: bool
    last_deployed: str
    returns: List[str]


class Pagination(TypedDict):
    total: int
    page: int
    limit: int


class FunctionPage(TypedDict):
    data: List[DeployedFunction]
    pagination: Pagination


class ProviderResponse(TypedDict):
    """The answer of a provider; header names are in lower case."""

    status: int
    headers: Dict[str, str]
    data: Any


# Webhooks


class WebhookError(TypedDict):
    type: str
    description: str


class _FromConnection(TypedDict):
    connectionId: str
    providerConfigKey: str


class _AuthFields(TypedDict, total=False):
    tags: Tags
    endUser: Dict[str, Any]
    error: WebhookError
    sequence: int


class AuthWebhook(_FromConnection, _AuthFields):
    """A connection was made, authorized again, or lost; ``error`` is there after a failure."""

    type: Literal["auth"]
    operation: Literal["creation", "override", "refresh"]
    success: bool
    provider: str
    environment: str
    authMode: str


class _SyncFields(TypedDict, total=False):
    checkpoints: Dict[str, Any]
    modifiedAfter: str
    queryTimeStamp: str
    responseResults: Dict[str, int]
    error: WebhookError
    startedAt: str
    failedAt: str
    consecutive_failures: int
    sequence: int


class SyncWebhook(_FromConnection, _SyncFields):
    """A run has ended. After a success ``modifiedAfter`` is for list_records; else see ``error``."""

    type: Literal["sync"]
    success: bool
    syncName: str
    syncVariant: str
    model: str
    syncType: Literal["INITIAL", "INCREMENTAL", "WEBHOOK"]


class _Sequenced(TypedDict, total=False):
    sequence: int


class AsyncActionWebhook(_FromConnection, _Sequenced):
    """An action has ended, well or not; get_async_action_result has the outcome."""

    type: Literal["async_action"]
    payload: AsyncAction


class _ForwardFields(TypedDict, total=False):
    connectionId: str
    raw: str
    sequence: int


class ForwardedWebhook(_ForwardFields):
    """What a provider sent."""

    type: Literal["forward"]
    providerConfigKey: str
    payload: Any


#: ``type`` tells which. Later releases may add others: ignore what you do not know.
WebhookEvent = Union[AuthWebhook, SyncWebhook, AsyncActionWebhook, ForwardedWebhook]

Query = Mapping[str, Any]
Texts = Mapping[str, str]
Names = Sequence[str]
