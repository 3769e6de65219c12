import { type Scope, scopes } from "../scopes.ts";

/** Roles from the one that may do most to the one that may do least. */
export const roles = ["owner", "admin", "developer", "support", "read-only"] as const;

export type Role = (typeof roles)[number];

type EnvironmentScope = Extract<Scope, `environment:${string}`>;
type AccountScope = Extract<Scope, `account:${string}`>;

/**
 * Where a role has a scope. `non-production` is for what hands out secrets or destroys; `code` for what runs code of
 * the caller's with a connection, or sends its credentials to an address of the caller's: it can read them, so in
 * production a developer needs that granted by name.
 */
type Held = "everywhere" | "non-production" | "code" | "never";

interface Row {
  readonly developer: Held;
  readonly support: "everywhere" | "never";
  readonly readOnly: "everywhere" | "never";
}

const looks: Row = { developer: "everywhere", support: "everywhere", readOnly: "everywhere" };
const readsContents: Row = { developer: "everywhere", support: "never", readOnly: "never" };
const inspects: Row = { developer: "everywhere", support: "never", readOnly: "everywhere" };
const helps: Row = { developer: "everywhere", support: "everywhere", readOnly: "never" };
const builds: Row = { developer: "everywhere", support: "never", readOnly: "never" };
const secret: Row = { developer: "non-production", support: "never", readOnly: "never" };
const destroys: Row = secret;
const runsCode: Row = { developer: "code", support: "never", readOnly: "never" };

/** Owners and admins have every scope of an environment. A scope without a row is a type error. */
const environmentRows: Readonly<Record<EnvironmentScope, Row>> = {
  "environment:integrations:list": looks,
  "environment:integrations:list_credentials": secret,
  "environment:integrations:list_functions": looks,
  "environment:integrations:read": looks,
  "environment:integrations:read_credentials": secret,
  "environment:integrations:create": builds,
  "environment:integrations:update": builds,
  "environment:integrations:delete": destroys,
  "environment:connections:list": looks,
  "environment:connections:list_credentials": secret,
  "environment:connections:read": looks,
  "environment:connections:read_credentials": secret,
  "environment:connections:create": builds,
  "environment:connections:update": builds,
  "environment:connections:refresh": helps,
  "environment:connections:delete": destroys,
  "environment:revocations:read": inspects,
  "environment:revocations:create": destroys,
  "environment:end_users:read": inspects,
  "environment:end_users:delete": destroys,
  "environment:connect_sessions:read": looks,
  "environment:connect_sessions:write": helps,
  "environment:syncs:read": looks,
  "environment:syncs:execute": helps,
  "environment:syncs:update": builds,
  "environment:syncs:variant:create": builds,
  "environment:syncs:variant:delete": destroys,
  "environment:deploy": runsCode,
  "environment:functions:compile": builds,
  "environment:functions:dryrun": runsCode,
  "environment:functions:list": looks,
  "environment:functions:read": inspects,
  "environment:functions:update": builds,
  "environment:functions:delete": destroys,
  // Tapes hold what was fetched for end users.
  "environment:tapes:read": readsContents,
  "environment:tapes:write": builds,
  "environment:records:read": readsContents,
  "environment:records:write": builds,
  "environment:destinations:read": inspects,
  // It says where all records are copied to.
  "environment:destinations:write": secret,
  "environment:sql_access:read": inspects,
  // A login that reads all records.
  "environment:sql_access:write": secret,
  "environment:actions:execute": builds,
  "environment:proxy": runsCode,
  "environment:variables:read": inspects,
  "environment:variables:write": builds,
  "environment:mcp": builds,
  "environment:agents:read": looks,
  "environment:agents:write": builds,
  "environment:agents:sessions": builds,
  "environment:agents:approve": builds,
  "environment:logs:read": looks,
  "environment:problems:read": looks,
  "environment:problems:write": helps,
  "environment:secrets:reveal": secret,
  "environment:settings:read": inspects,
  "environment:settings:write": builds,
  "environment:webhooks:read": looks,
  "environment:webhooks:write": builds,
  "environment:webhooks:replay": helps,
  "environment:webhook_signing_key:rotate": secret,
  "environment:api_keys:list": inspects,
  "environment:api_keys:create": secret,
  "environment:api_keys:update": secret,
  "environment:api_keys:delete": destroys,
  "environment:providers:read": looks,
  // A provider says where tokens are sent.
  "environment:providers:write": runsCode,
};

/** Whether admins have it; owners have all, and every role may list the environments that it has. */
const accountRows: Readonly<Record<AccountScope, "everyone" | "admins" | "owners">> = {
  "account:users:list": "admins",
  "account:users:create": "admins",
  "account:users:update": "admins",
  "account:users:delete": "admins",
  "account:sso:read": "owners",
  "account:sso:write": "owners",
  "account:environments:list": "everyone",
  "account:environments:create": "admins",
  "account:environments:update": "admins",
  "account:environments:delete": "admins",
  "account:environments:set_production": "admins",
  "account:environments:api_keys:list": "admins",
  "account:environments:api_keys:create": "admins",
  "account:environments:api_keys:update": "admins",
  "account:environments:api_keys:delete": "admins",
  // Of the installation; only its first account has any.
  "account:accounts:list": "owners",
  "account:accounts:create": "owners",
  "account:accounts:update": "owners",
  "account:accounts:delete": "owners",
  "account:audit:read": "admins",
  "account:installation:read": "admins",
  "account:api_keys:list": "admins",
  "account:api_keys:create": "admins",
  "account:api_keys:update": "admins",
  "account:api_keys:delete": "admins",
};

export interface GrantedRole {
  readonly role: Role;
  readonly environments: "all" | "non-production" | "one";
  readonly environmentId?: string | undefined;
  /** A developer may also run code in production. */
  readonly runsCode?: boolean | undefined;
}

interface Place {
  readonly id: string;
  readonly isProduction: boolean;
}

/** What these grants allow in an environment; empty for one in which they allow nothing. */
export function scopesInEnvironment(grants: readonly GrantedRole[], place: Place): string[] {
  const held = grants.filter((grant) => appliesTo(grant, place));
  if (held.some(({ role }) => role === "owner" || role === "admin")) return ["environment:*"];
  const names = scopes.filter(isOfEnvironment).filter((scope) => {
    return held.some((grant) => isHeld(grant, environmentRows[scope], place));
  });
  return names.length === Object.keys(environmentRows).length ? ["environment:*"] : names;
}

/** What these grants allow in the account. */
export function scopesInAccount(grants: readonly GrantedRole[]): string[] {
  if (grants.some(({ role }) => role === "owner")) return ["account:*"];
  const isAdmin = grants.some(({ role }) => role === "admin");
  return scopes.filter(isOfAccount).filter((scope) => {
    const row = accountRows[scope];
    return row === "everyone" ? grants.length > 0 : row === "admins" && isAdmin;
  });
}

function appliesTo({ environments, environmentId }: GrantedRole, place: Place): boolean {
  if (environments === "one") return environmentId === place.id;
  return environments === "all" || !place.isProduction;
}

function isHeld({ role, runsCode: mayRunCode }: GrantedRole, row: Row, place: Place): boolean {
  if (role === "support") return row.support === "everywhere";
  if (role === "read-only") return row.readOnly === "everywhere";
  if (row.developer === "code") return !place.isProduction || mayRunCode === true;
  return (
    row.developer === "everywhere" || (row.developer === "non-production" && !place.isProduction)
  );
}

function isOfEnvironment(scope: Scope): scope is EnvironmentScope {
  return scope.startsWith("environment:");
}

function isOfAccount(scope: Scope): scope is AccountScope {
  return scope.startsWith("account:");
}
