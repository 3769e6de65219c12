/**
 * Every error code that the API answers with: its HTTP status and default message.
 * A published code is never reused for another meaning.
 */
export const errorTable = {
  // Authentication and authorization
  missing_auth_header: [401, "Send the API key as `Authorization: Bearer <key>`."],
  malformed_auth_header: [401, "The Authorization header holds no key after `Bearer`."],
  invalid_secret_key_format: [401, "This is not an API key: keys start with `svc_key_`."],
  unknown_account: [401, "No such API key: it was deleted or belongs to another installation."],
  expired_api_key: [401, "The API key has expired."],
  invalid_connect_session_token_format: [401, "This is not a connect session token."],
  unknown_connect_session_token: [401, "The connect session is unknown or has expired."],
  unknown_agent_token: [401, "The agent's session is unknown, has expired or was ended."],
  deprecated_authentication: [401, "Public keys are no longer accepted; use a connect session."],
  not_signed_in: [401, "Sign in: this browser has no session, or it has ended."],
  untrusted_request: [
    401,
    "A session counts only in calls that a page of this installation makes, with `Svc-Csrf` and without `Authorization`.",
  ],
  session_not_taken: [401, "This route takes an API key, not the session of a user."],
  sign_in_failed: [401, "The e-mail address or the password is wrong, or the user is disabled."],
  second_factor_required: [
    401,
    "Send `code` as well: the digits of the authenticator app, or a recovery code.",
  ],
  second_factor_missing: [
    403,
    "Your role asks for a second factor: add a passkey or an authenticator app, then repeat the call.",
  ],
  passkey_refused: [400, "The passkey was not taken: begin again."],
  sign_in_paused: [429, "Too many failed sign-ins; wait for the time in `Retry-After`."],
  sso_required: [403, "Sign in by the identity provider of your organization."],
  identity_provider_failed: [502, "The identity provider cannot be used."],
  invalid_link: [400, "The link does not work: it was used, replaced, or has expired."],
  last_owner: [409, "The account needs one owner who can sign in: name another one first."],
  step_up_required: [403, "Prove who you are again: `POST /me/elevate`, then repeat the call."],
  forbidden: [403, "The API key may not do this."],

  // Requests
  invalid_body: [400, "The request body is not valid."],
  invalid_query_params: [400, "The query parameters are not valid."],
  invalid_uri_params: [400, "The path parameters are not valid."],
  invalid_headers: [400, "The request headers are not valid."],
  invalid_json: [400, "The request body is not valid JSON."],
  invalid_request: [400, "The request is not valid HTTP."],
  request_timeout: [408, "The request did not come in time; send it without pauses."],
  invalid_content_type: [415, "Send the body as `Content-Type: application/json`."],
  request_too_large: [413, "The request body is too large."],
  too_many_request: [429, "Too many requests; wait for the time in `Retry-After`."],
  invalid_idempotency_key: [400, "An Idempotency-Key has 1 to 255 visible ASCII characters."],
  idempotency_in_progress: [409, "The first request with this Idempotency-Key is still running."],
  idempotency_key_reused: [422, "This Idempotency-Key was used for another request."],
  not_found: [404, "Not found."],
  conflict: [409, "The name is taken."],
  resource_capped: [400, "A limit set by the operator is reached."],
  misdirected_request: [421, "Browsers reach this route under another host."],
  feature_disabled: [404, "This installation does not offer that."],
  sql_access_unavailable: [409, "The database does not allow a login for SQL access to be made."],
  overloaded: [503, "The server is busy; try again shortly."],
  server_error: [500, "Something failed on our side."],
  decryption_failed: [
    500,
    "A stored secret cannot be decrypted; the operator's log says where. Its data was altered, or its key is gone.",
  ],

  // Environments
  unknown_environment: [404, "No such environment."],
  cannot_delete_prod_environment: [400, "A production environment cannot be deleted."],
  multiple_webhook_signing_keys: [409, "An earlier rotation of the signing key is still running."],

  // Integrations and connections
  unknown_provider_config: [404, "No such integration."],
  unknown_provider: [400, "No such integration."],
  unknown_provider_template: [404, "No such provider."],
  unknown_connection: [404, "No such connection."],
  invalid_connection: [400, "The connection of this session no longer exists."],
  missing_provider_config: [400, "Name the integration as `provider_config_key`."],
  missing_access_token: [400, "Send `access_token`."],
  missing_expires_at: [400, "Send `expires_at`, `expires_in`, or `no_expiration: true`."],
  invalid_expires_at: [400, "`expires_at` is not a date."],
  missing_api_key: [400, "Send `api_key`."],
  missing_basic_username: [400, "Send `username`."],
  missing_oauth_token: [400, "Send `oauth_token`."],
  missing_oauth_token_secret: [400, "Send `oauth_token_secret`."],
  missing_app_id: [400, "Send `app_id`."],
  missing_installation_id: [400, "Send `installation_id`."],
  missing_account_id: [400, "Send `connection_config.accountId`."],
  account_changed: [409, "The credentials are of another account than the connection."],
  connection_validation_failed: [400, "The connection was refused by a check of the customer."],
  connection_test_failed: [400, "The provider refused these credentials."],
  integration_not_allowed: [400, "The connect session does not allow this integration."],
  invalid_auth_mode: [400, "The provider does not use this way to authorize."],
  session_used: [400, "This connect session has made as many connections as it may."],
  invalid_credentials: [424, "The connection must be authorized again."],
  connection_frozen: [
    424,
    "A revocation has frozen the connection; nobody uses it until it is released or authorized again.",
  ],
  connection_refresh_backoff: [424, "The provider does not answer token refreshes; try later."],
  refresh_in_progress: [503, "A token refresh is still running; try again shortly."],
  quarantined: [
    503,
    "This copy of an installation renews no tokens until its operator ends the quarantine: jackfield resume.",
  ],
  integration_misconfigured: [424, "The provider refuses the integration's OAuth client."],

  // Egress and proxy
  destination_not_allowed: [
    400,
    "The address is private or reserved; the operator can open it with SVC_EGRESS_ALLOW.",
  ],
  base_url_override_not_allowed: [403, "The API key may not send these credentials there."],
  egress_refused: [403, "The host is not in the `egress` of the function."],
  credentials_withheld: [
    403,
    'The function has `credentials: "proxy-only"`: calls carry the credentials, and it never sees them.',
  ],
  missing_base_url: [400, "The provider has no base URL; send `Base-Url-Override`."],
  upstream_unreachable: [502, "The provider's server cannot be reached."],
  upstream_dns_error: [502, "The provider's host name does not resolve."],
  upstream_tls_error: [502, "The provider's certificate is not valid."],
  upstream_timeout: [504, "The provider's server did not answer in time."],
  upstream_unavailable: [503, "The provider cannot answer as it should at the moment."],
  upstream_circuit_open: [503, "The provider's server takes no connections at the moment."],

  // Webhooks of providers
  webhook_missing_signature: [401, "The webhook carries no signature, and a secret is set for it."],
  webhook_invalid_signature: [401, "The webhook's signature is wrong, or older than it may be."],
  webhook_invalid_secret: [
    400,
    "This provider's webhooks are only taken signed: set `webhook_secret` of the integration.",
  ],
  webhook_invalid_payload: [400, "The webhook's body is not what the provider sends."],

  // Functions
  staged_deployment_not_found: [
    404,
    "No such staged deployment: it was made, has expired, or gave way to later ones. Begin again.",
  ],
  staged_deployment_incomplete: [400, "The staged deployment lacks bundles of its functions."],
  concurrent_deployment: [409, "Another deployment of this environment is running."],
  ambiguous_function: [409, "Several functions have that name; add `type`."],
  function_managed_by_deploy: [
    400,
    "The function comes from a project; remove it there and deploy.",
  ],
  compilation_error: [400, "The function's source does not compile."],
  validation_error: [400, "The functions cannot be deployed as they are."],
  integration_not_found: [404, "No such integration."],
  connection_not_found: [404, "No such connection."],
  dryrun_not_found: [404, "No such dry run."],
  deployment_not_found: [404, "No such deployment."],
  canary_not_found: [404, "No such canary; the last 100 are stored."],
  canary_running: [409, "A canary is running: promote it or roll it back first."],
  canary_ended: [409, "The canary has ended."],
  canary_not_possible: [400, "The deployment cannot be tried as a canary."],
  rollback_not_possible: [409, "The deployment cannot be rolled back."],
  execution_environment_unavailable: [503, "The compiler cannot be started at the moment."],
  deploy_missing_json_schema_model: [400, "The deployment lacks the schema of a model."],
  no_refused_deletes: [400, "The delete guard has not stopped this sync."],
  no_syncs_found: [400, "No sync of that name is deployed for this integration."],
  unknown_sync: [400, "No such sync."],
  invalid_variant: [400, "The variant `base` belongs to the sync itself; choose another name."],
  sync_variant_already_exists: [400, "The connection has this variant of the sync already."],
  missing_provider_config_key: [400, "Name the integration as `provider_config_key`."],
  disabled_resource: [404, "The function is disabled."],
  invalid_cursor: [400, "The cursor was altered or belongs to another listing."],
  action_outcome_unknown: [
    500,
    "The server stopped while the action ran; it may have had effects.",
  ],
  action_script_runtime_error: [500, "The action raised an error."],
  script_http_error: [424, "The provider answered the function with an error."],
  script_network_error: [500, "The function could not reach the provider."],
  script_internal_error: [500, "The function failed with an exception."],
  script_aborted: [410, "The run was cancelled."],
  script_output_too_large: [400, "The action's output is larger than 10 MiB."],
  invalid_action_input: [400, "The input does not match the action's schema."],
  invalid_action_output: [400, "The output does not match the action's schema."],
  execution_timeout: [500, "The function ran past its time limit."],
  function_runtime_timed_out: [500, "The function ran past its time limit and was ended."],
  function_runtime_out_of_memory: [500, "The function used more memory than it may."],
  function_runtime_other: [500, "The function's process ended unexpectedly."],
  invalid_sync_record: [400, "A record does not match the model's schema."],
  checkpoint_conflict: [409, "Another run has saved a newer checkpoint."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof errorTable;

export function errorStatus(code: ErrorCode): number {
  return errorTable[code][0];
}

export function errorMessage(code: ErrorCode): string {
  return errorTable[code][1];
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}
