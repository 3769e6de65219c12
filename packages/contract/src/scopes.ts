/** Every scope a key can hold. */
export const scopes = [
  "environment:integrations:list",
  "environment:integrations:list_credentials",
  "environment:integrations:list_functions",
  "environment:integrations:read",
  "environment:integrations:read_credentials",
  "environment:integrations:create",
  "environment:integrations:update",
  "environment:integrations:delete",
  "environment:connections:list",
  "environment:connections:list_credentials",
  "environment:connections:read",
  "environment:connections:read_credentials",
  "environment:connections:create",
  "environment:connections:update",
  "environment:connections:refresh",
  "environment:connections:delete",
  "environment:revocations:read",
  "environment:revocations:create",
  "environment:end_users:read",
  "environment:end_users:delete",
  "environment:connect_sessions:read",
  "environment:connect_sessions:write",
  "environment:syncs:read",
  "environment:syncs:execute",
  "environment:syncs:update",
  "environment:syncs:variant:create",
  "environment:syncs:variant:delete",
  "environment:deploy",
  "environment:functions:compile",
  "environment:functions:dryrun",
  "environment:functions:list",
  "environment:functions:read",
  "environment:functions:update",
  "environment:functions:delete",
  "environment:tapes:read",
  "environment:tapes:write",
  "environment:records:read",
  "environment:records:write",
  "environment:destinations:read",
  "environment:destinations:write",
  "environment:sql_access:read",
  "environment:sql_access:write",
  "environment:actions:execute",
  "environment:proxy",
  "environment:variables:read",
  "environment:variables:write",
  "environment:mcp",
  "environment:agents:read",
  "environment:agents:write",
  "environment:agents:sessions",
  "environment:agents:approve",
  "environment:logs:read",
  "environment:problems:read",
  "environment:problems:write",
  "environment:secrets:reveal",
  "environment:settings:read",
  "environment:settings:write",
  "environment:webhooks:read",
  "environment:webhooks:write",
  "environment:webhooks:replay",
  "environment:webhook_signing_key:rotate",
  "environment:api_keys:list",
  "environment:api_keys:create",
  "environment:api_keys:update",
  "environment:api_keys:delete",
  "environment:providers:read",
  "environment:providers:write",
  "account:users:list",
  "account:users:create",
  "account:users:update",
  "account:users:delete",
  "account:sso:read",
  "account:sso:write",
  "account:environments:list",
  "account:environments:create",
  "account:environments:update",
  "account:environments:delete",
  "account:environments:set_production",
  "account:environments:api_keys:list",
  "account:environments:api_keys:create",
  "account:environments:api_keys:update",
  "account:environments:api_keys:delete",
  "account:accounts:list",
  "account:accounts:create",
  "account:accounts:update",
  "account:accounts:delete",
  "account:audit:read",
  "account:installation:read",
  "account:api_keys:list",
  "account:api_keys:create",
  "account:api_keys:update",
  "account:api_keys:delete",
] as const;

export type Scope = (typeof scopes)[number];

/**
 * Whether a granted scope covers a required one: the same text, a `:*` grant over its prefix,
 * or a `_credentials` scope over its plain form. Unknown text covers nothing.
 */
export function scopeCovers(granted: string, required: Scope): boolean {
  if (granted === required || granted === `${required}_credentials`) return true;
  return granted.endsWith(":*") && required.startsWith(granted.slice(0, -1));
}

export function hasScope(granted: readonly string[], required: Scope): boolean {
  return granted.some((scope) => scopeCovers(scope, required));
}

/** Whether the text can be granted: a scope of the list, or `prefix:*` over at least one of them. */
export function isGrantableScope(text: string): boolean {
  if (scopes.some((scope) => scope === text)) return true;
  return text.endsWith(":*") && scopes.some((scope) => scope.startsWith(text.slice(0, -1)));
}

/** Whether one who holds these scopes may hand out the wanted one, `prefix:*` included. */
export function isGrantCovered(granted: readonly string[], wanted: string): boolean {
  return granted.some(
    (scope) =>
      scope === wanted ||
      scope === `${wanted}_credentials` ||
      (scope.endsWith(":*") && wanted.startsWith(scope.slice(0, -1))),
  );
}
