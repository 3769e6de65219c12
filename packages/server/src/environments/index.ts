// Owns environments, their API keys, variables, settings and webhook settings.
// Tables: environments, environment_old_names, environment_settings, environment_variables, api_keys, webhook_settings,
// webhook_signing_keys.
export { createEnvironment } from "./create-environment.ts";
export { deleteEnvironmentsOf } from "./delete-environment.ts";
export { removeDeleted } from "./erasure/deleted-rows.ts";
export { eraseEnvironments, eraseEnvironmentsOf } from "./erasure/erase-environments.ts";
export { findCallbackUrl } from "./find-callback-url.ts";
export { findNamedEnvironment } from "./find-named-environment.ts";
export {
  findCachedEnvironment,
  findEnvironment,
  getCachedEnvironment,
  getEnvironment,
  isProductionEnvironment,
} from "./get-environment.ts";
export {
  type EnvironmentErasing,
  environmentDeleted,
  environmentErasing,
  type FailingReceiver,
  failingReceivers,
} from "./hooks.ts";
export { creatorOf } from "./keys/add-api-key.ts";
export { isApiKey, parseAuthorization } from "./keys/api-key.ts";
export { authenticateKey, getPrincipalIfCached, type Principal } from "./keys/authenticate-key.ts";
export { createApiKey } from "./keys/create-api-key.ts";
export { presetKey } from "./keys/preset-key.ts";
export {
  type Creator,
  deleteKeysOfAccount,
  endKeysOfAccount,
  endKeysOfEndUser,
} from "./keys/store.ts";
export { environmentHandlers } from "./routes.ts";
export { getEnvironmentSettings } from "./settings/get-environment-settings.ts";
export { updateEnvironmentSettings } from "./settings/update-environment-settings.ts";
export { environments } from "./slice.ts";
export {
  listAllEnvironments,
  listAuditReceivers,
  listEnvironments,
  listOldNames,
} from "./store.ts";
export { listEnvironmentVariables } from "./variables/list-environment-variables.ts";
export { setEnvironmentVariable } from "./variables/set-environment-variable.ts";
export { getWebhookTargets } from "./webhooks/get-webhook-targets.ts";
export { listSigningKeys } from "./webhooks/list-signing-keys.ts";
