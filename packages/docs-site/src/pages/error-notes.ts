import type { ErrorCode } from "@jackfield/contract";
import { connectionErrorNotes } from "./connection-error-notes.ts";
import { type ErrorNote, note } from "./error-note.ts";
import { functionErrorNotes, SEE_RUN } from "./function-error-notes.ts";
import { peopleErrorNotes } from "./people-error-notes.ts";

export type { ErrorNote };

const SLOW_PROVIDER = "Try again later. Check the provider's status page.";
const LIST_CONNECTIONS =
  "List the connections with `GET /connections`. An id is unique only within its integration.";
const LIST_INTEGRATIONS =
  "List the integrations with `GET /integrations`. An integration belongs to one environment: check that the API key belongs to the same one.";
const NAME_INTEGRATION =
  "Send the integration's `unique_key` in that field, or as the header `Provider-Config-Key`.";

/** Why each error occurs and what to do. A code without a note is a type error. */
export const errorNotes: Readonly<Record<ErrorCode, ErrorNote>> = {
  missing_auth_header: note(
    "The request has no `Authorization` header.",
    "Add `Authorization: Bearer <key>`. A reverse proxy in front of the server must forward that header.",
  ),
  malformed_auth_header: note(
    "The header is not `Bearer` followed by one key.",
    "Check for an empty shell variable.",
  ),
  invalid_secret_key_format: note(
    "The text is not an API key: a character is missing or wrong, or it is a session token on a route for keys.",
    "Copy the whole key again. The message names the kind of token that was sent.",
  ),
  unknown_account: note(
    "The key has the right form but is not stored here.",
    "Check that the key belongs to this installation. Create another one with `jackfield keys create --environment dev`.",
  ),
  expired_api_key: note(
    "The key's `expires_at` has passed.",
    "Create another key, or set a later `expires_at` with `PATCH /environment/api-keys`: the same secret then works again.",
  ),
  invalid_connect_session_token_format: note(
    "The text is not a connect session token.",
    "Send the `token` of the answer to `POST /connect/sessions`.",
  ),
  unknown_connect_session_token: note(
    "The session was ended, or is past its `expires_at`.",
    "Create another session and send its token to the browser.",
  ),
  deprecated_authentication: note(
    "The client sends a public key, an old way to authenticate browsers.",
    "Create a connect session on your server and pass its token to the browser.",
  ),
  ...peopleErrorNotes,
  forbidden: note(
    "The key lacks the scope of the route, or has the wrong kind (account or environment).",
    "Use a key with the scope that the message names. [API keys](./api-keys.md) lists all scopes.",
  ),
  invalid_body: note(
    "A field is missing, has the wrong type, or is unknown.",
    "Read `errors`: each item names a field and what is wrong with it.",
  ),
  invalid_query_params: note(
    "A query parameter is missing, invalid, or unknown.",
    "Read `errors`: each item names a parameter.",
  ),
  invalid_uri_params: note(
    "A part of the path is not valid for the route.",
    "Percent-encode ids in paths.",
  ),
  invalid_headers: note(
    "A header was sent twice or has an invalid value.",
    "Read `errors`: each item names a header.",
  ),
  invalid_json: note(
    "The body is not JSON. The message has the line and column of the first fault.",
    "Create the body with a JSON library instead of by hand.",
  ),
  invalid_request: note(
    "The request is not valid HTTP.",
    "Check the client or proxy that sends it.",
  ),
  request_timeout: note(
    "The headers or the body of the request arrived too slowly.",
    "Send it again over a connection that does not pause.",
  ),
  invalid_content_type: note(
    "The body was not sent as JSON.",
    "Add `Content-Type: application/json`.",
  ),
  request_too_large: note(
    "The body is larger than the route allows.",
    "Split it. [Limits](./limits.md) lists the limit of each route.",
  ),
  too_many_request: note(
    "The account made more calls in this minute than `SVC_RATE_LIMIT_PER_MIN` allows.",
    "Wait for the seconds in `Retry-After`.",
  ),
  invalid_idempotency_key: note(
    "The `Idempotency-Key` is empty, too long, or has characters that are not visible ASCII.",
    "Send a UUID.",
  ),
  idempotency_in_progress: note(
    "The first request with this key has not been answered yet.",
    "Wait and send the same request again.",
  ),
  idempotency_key_reused: note(
    "The key was used within 24 hours for a request with another method, path or body.",
    "Use another key for another request.",
  ),
  not_found: note(
    "There is no such route or resource.",
    "For a route, the message names the nearest one. The API page at `/docs/api` lists all.",
  ),
  misdirected_request: note("The host is not `SVC_PROXY_HOST`.", "Call the one in the message."),
  conflict: note("Something with this name exists.", "Choose another name, or change what exists."),
  resource_capped: note(
    "A limit set by the operator is reached, such as `SVC_MAX_CONNECTIONS`.",
    "Delete what you do not need, or ask the operator to raise the setting.",
  ),
  feature_disabled: note("The operator has turned this feature off.", "Ask the operator."),
  sql_access_unavailable: note(
    "The server's database user may not make a login with few enough rights.",
    "The message names the statement for the operator to run; see [SQL access](./sql-access.md).",
  ),
  overloaded: note(
    "The database cannot be reached, or it has no free connection.",
    "Try again after `Retry-After`. If the error persists, see [outages](./outages.md).",
  ),
  server_error: note(
    "The server has a fault.",
    "Search the process log for the id in `errors`: the line has the reason.",
  ),
  decryption_failed: note(
    "A stored secret cannot be decrypted: it was altered, or its encryption key is missing.",
    "Run `jackfield vault verify`. See [encryption](./vault.md).",
  ),
  unknown_environment: note(
    "No environment has this id, or it was deleted.",
    "List them with `GET /environments` and an account key.",
  ),
  cannot_delete_prod_environment: note(
    "The environment is marked as production.",
    "Delete its integrations instead, or create another environment.",
  ),
  multiple_webhook_signing_keys: note(
    "An earlier signing key is still valid for up to 24 hours after its rotation.",
    'Wait, or end it with `{"immediate": true}`.',
  ),
  unknown_provider_config: note(
    "The environment has no integration with that key.",
    LIST_INTEGRATIONS,
  ),
  unknown_provider: note("The environment has no integration with that key.", LIST_INTEGRATIONS),
  unknown_provider_template: note(
    "No provider has this id.",
    "List them with `GET /providers`. See [all providers](./providers/index.md).",
  ),
  unknown_connection: note("The integration has no connection with that id.", LIST_CONNECTIONS),
  invalid_connection: note(
    "The connection of the reconnect session was deleted.",
    "Create an ordinary connect session.",
  ),
  missing_provider_config: note("The call does not name the integration.", NAME_INTEGRATION),
  missing_access_token: note(
    "An imported OAuth connection has no access token.",
    "Send `access_token` in `credentials`.",
  ),
  missing_expires_at: note(
    "An imported token has no expiry.",
    "Send `expires_at`, `expires_in`, or `no_expiration: true`.",
  ),
  invalid_expires_at: note(
    "`expires_at` is not a date.",
    "Send ISO 8601, such as `2026-01-31T12:00:00Z`.",
  ),
  missing_api_key: note(
    "An imported connection has no API key.",
    "Send `api_key` in `credentials`.",
  ),
  missing_basic_username: note(
    "An imported connection has no user name.",
    "Send `username` in `credentials`.",
  ),
  missing_oauth_token: note(
    "An imported OAuth 1 connection has no token.",
    "Send `oauth_token` in `credentials`.",
  ),
  missing_oauth_token_secret: note(
    "An imported OAuth 1 connection has no token secret.",
    "Send `oauth_token_secret` in `credentials`.",
  ),
  missing_app_id: note(
    "An imported app connection has no app id.",
    "Send `app_id` in `credentials`.",
  ),
  missing_installation_id: note(
    "An imported app connection has no installation id.",
    "Send `installation_id` in `credentials`.",
  ),
  missing_account_id: note(
    "An imported connection lacks the account id.",
    "Send `connection_config.accountId`.",
  ),
  connection_validation_failed: note(
    "One of your on-event functions refused the new connection.",
    "The message is the function's. Connect again with other credentials.",
  ),
  connection_test_failed: note(
    "The provider refused the credentials in the test call.",
    "Check the credentials, and the fields that make up the address, such as a subdomain.",
  ),
  integration_not_allowed: note(
    "The session's `allowed_integrations` does not name the integration.",
    "Name it when you create the session.",
  ),
  invalid_auth_mode: note(
    "The provider needs another type of credentials.",
    "`GET /providers/{provider}` has its `auth_mode`.",
  ),
  session_used: note("The session has created 50 connections.", "Create another session."),
  ...connectionErrorNotes,
  ...functionErrorNotes,
  integration_misconfigured: note(
    "The provider refuses the client ID or secret.",
    "Correct the integration's credentials with `PATCH /integrations/{uniqueKey}`.",
  ),
  destination_not_allowed: note(
    "The address is in a private or reserved network, which functions and providers must not reach.",
    "If it is yours, add it to `SVC_EGRESS_ALLOW`.",
  ),
  base_url_override_not_allowed: note(
    "`Base-Url-Override` names a host that belongs neither to the provider nor to the integration.",
    "Add the host to the integration's `settings.allowed_hosts`, or use a key with `environment:connections:read_credentials`.",
  ),
  missing_base_url: note("The provider's entry has no base URL.", "Send `Base-Url-Override`."),
  upstream_unreachable: note("The server could not connect to the provider.", SLOW_PROVIDER),
  upstream_dns_error: note(
    "The provider's host name does not resolve.",
    "Check the connection's fields that make up the host, and the resolver of the server's machine.",
  ),
  upstream_tls_error: note(
    "The provider's certificate is not trusted, or has expired.",
    "For a private certificate authority, set `SVC_EGRESS_CA_FILE`.",
  ),
  upstream_timeout: note(
    "The provider did not begin its answer in time.",
    "Request less data at once, or raise `SVC_UPSTREAM_HEADERS_TIMEOUT`.",
  ),
  upstream_unavailable: note("The provider's answer cannot be used.", SLOW_PROVIDER),
  upstream_circuit_open: note(
    "Several calls in a row could not connect, so the server sends no more for a moment.",
    "Try again after `Retry-After`.",
  ),
  webhook_missing_signature: note(
    "The integration has a webhook secret, and the request has no signature.",
    "Set the same secret at the provider.",
  ),
  webhook_invalid_signature: note(
    "The signature was made with another secret or for another body, or is too old.",
    "Set the same secret on both sides. Check that no proxy changes the body.",
  ),
  webhook_invalid_secret: note(
    "This provider's webhooks need a signature.",
    "Set `webhook_secret` of the integration.",
  ),
  webhook_invalid_payload: note(
    "The body does not have the provider's format.",
    "Check which service sends to this URL.",
  ),
  staged_deployment_not_found: note(
    "The staged deployment was committed, has expired, or was replaced by later ones.",
    "Start the deployment again.",
  ),
  staged_deployment_incomplete: note(
    "Bundles are missing.",
    "Upload the bundles that the message names, or deploy with the command line.",
  ),
  concurrent_deployment: note(
    "Another deployment of this environment is in progress.",
    "Wait for it and deploy again.",
  ),
  ambiguous_function: note("Functions of several types have this name.", "Add `type`."),
  function_managed_by_deploy: note(
    "The function was deployed from a project.",
    "Remove it there and deploy with `--allow-destructive`.",
  ),
  compilation_error: note(
    "The source has an error. The message has its line.",
    "Correct it; `jackfield compile` shows all errors on your machine.",
  ),
  validation_error: note(
    "The plan has functions that cannot be deployed.",
    "Read `errors`: each item names a function and a reason.",
  ),
  integration_not_found: note(
    "The environment has no integration with that key.",
    LIST_INTEGRATIONS,
  ),
  connection_not_found: note("The integration has no connection with that id.", LIST_CONNECTIONS),
  dryrun_not_found: note(
    "The dry run does not exist, or its result was deleted after its retention.",
    "Start a new one.",
  ),
  deployment_not_found: note(
    "The deployment does not exist, or its result was deleted after its retention.",
    "Start a new one.",
  ),
  rollback_not_possible: note(
    "A later deployment has changed the same functions, the earlier versions are no longer stored, or the deployment failed and changed nothing.",
    "Roll back the later deployments first, newest first, or deploy the functions again.",
  ),
  execution_environment_unavailable: note(
    "The compiler could not start.",
    "Try again. If the error persists, read the reason in the process log.",
  ),
  deploy_missing_json_schema_model: note(
    "A sync names a model without a schema.",
    "Deploy with the command line, which sends the schemas.",
  ),
  no_refused_deletes: note(
    "No run of this sync waits for a decision.",
    "You need not do anything.",
  ),
  no_syncs_found: note(
    "The integration has no sync of that name.",
    "List functions with `GET /integrations/{uniqueKey}/functions`.",
  ),
  unknown_sync: note(
    "No sync has this name or id.",
    "List functions with `GET /integrations/{uniqueKey}/functions`.",
  ),
  invalid_variant: note("`base` names the sync itself.", "Choose another name for the variant."),
  sync_variant_already_exists: note(
    "The connection already has this variant.",
    "Choose another name, or use the existing one.",
  ),
  missing_provider_config_key: note("The call does not name the integration.", NAME_INTEGRATION),
  disabled_resource: note(
    "The function is disabled.",
    "Enable it with `PATCH /integrations/{uniqueKey}/functions/{functionName}`.",
  ),
  invalid_cursor: note(
    "The cursor was altered, or belongs to another connection, model or variant.",
    "Pass cursors unchanged, or begin without one.",
  ),
  action_outcome_unknown: note(
    "The process ended after the action had sent a request that changes something.",
    "Check at the provider what was done before you run the action again.",
  ),
  action_script_runtime_error: note(
    "The action threw an `ActionError`.",
    "`errors` has its payload.",
  ),
  script_http_error: note(
    "The provider answered a call of the function with an error status.",
    "`errors` has the provider's answer.",
  ),
  script_network_error: note("A call of the function could not reach the provider.", SLOW_PROVIDER),
  script_internal_error: note("The function threw an exception.", SEE_RUN),
  script_aborted: note("The run was cancelled.", "Start it again if it is still needed."),
  script_output_too_large: note(
    "The action's output is too large.",
    "Return less, or save records from a sync.",
  ),
  invalid_action_input: note(
    "The input does not fit the action's schema.",
    "Read `errors`: each item names a field.",
  ),
  invalid_action_output: note("The output does not fit the action's schema.", SEE_RUN),
  execution_timeout: note(
    "The run took longer than its limit.",
    "Do less in one run: save checkpoints and continue in the next.",
  ),
  invalid_sync_record: note(
    "A record does not fit its model, and the environment refuses such records.",
    SEE_RUN,
  ),
  checkpoint_conflict: note(
    "Another run of the same sync saved a newer checkpoint.",
    "You need not do anything: the newer run continues.",
  ),
};
