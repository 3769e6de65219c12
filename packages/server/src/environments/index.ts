// Owns environments, their API keys, variables and webhook settings.
// Tables: environments, environment_settings, environment_variables, api_keys, webhook_settings,
// webhook_signing_keys.
export { parseAuthorization } from "./api-key.ts";
export { authenticateKey } from "./authenticate-key.ts";
export { createApiKey } from "./create-api-key.ts";
export { createEnvironment } from "./create-environment.ts";
export { getEnvironment } from "./get-environment.ts";
export { getEnvironmentSettings } from "./get-environment-settings.ts";
export { getWebhookTargets } from "./get-webhook-targets.ts";
export { listEnvironmentVariables } from "./list-environment-variables.ts";
export { listSigningKeys } from "./list-signing-keys.ts";
export { presetKey } from "./preset-key.ts";
export { environmentHandlers } from "./routes.ts";
export { environmentRuntime } from "./runtime.ts";
export { setEnvironmentVariable } from "./set-environment-variable.ts";
export { listEnvironments } from "./store.ts";
