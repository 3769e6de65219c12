import { isReservedAuthorizationParam } from "@jackfield/catalogue";
import { type AppError, type EnvironmentContext, invalidFields } from "#foundation";
import {
  findCachedIntegration,
  findProviderOf,
  type Integration,
  takeAliases,
} from "#integrations";
import { allowsOrigin, type SessionDefaults, type SessionSettings } from "../session.ts";

type Path = readonly string[];

/** Throws invalid_body at the first field that names what is not there or may not be set. */
export async function checkSession(
  ctx: EnvironmentContext,
  settings: SessionSettings,
  defaults: SessionDefaults,
): Promise<void> {
  for (const [index, key] of (settings.allowedIntegrations ?? []).entries()) {
    await requireIntegration(ctx, key, ["allowed_integrations", String(index)]);
  }
  for (const [
    key,
    { authorization_params: params = {}, connection_config: config },
  ] of Object.entries(defaults)) {
    const path = ["integrations_config_defaults", key];
    requireOneValue(await requireIntegration(ctx, key, path), config, path);
    const reserved = Object.keys(params).find(isReservedAuthorizationParam);
    if (reserved === undefined) continue;
    throw invalidBody([...path, "authorization_params", reserved], "is set by Jackfield");
  }
  for (const key of Object.keys(settings.overrides ?? {})) {
    await requireIntegration(ctx, key, ["overrides", key]);
  }
  checkReturnUrl(settings);
  checkPurpose(settings);
  if (settings.webhookUrlOverride) await ctx.http.requireAllowedUrl(settings.webhookUrlOverride);
}

function checkPurpose({ purpose, tags = {} }: SessionSettings): void {
  if (purpose !== "manage" || tags["end_user_id"] || tags["organization_id"]) return;
  throw invalidBody(["tags"], "must have end_user_id or organization_id for purpose: manage");
}

function checkReturnUrl(settings: SessionSettings): void {
  if (settings.returnUrl === undefined) return;
  const { origin, username, password } = new URL(settings.returnUrl);
  if (username !== "" || password !== "") {
    throw invalidBody(["return_url"], "holds a user name or password");
  }
  if (allowsOrigin(settings, origin)) return;
  throw invalidBody(
    ["return_url"],
    `must be on one of the session's allowed_origins, which ${origin} is not`,
  );
}

/** The same field under two names, differently, is an error for the backend that creates the session, not for the end user. */
function requireOneValue(
  integration: Integration,
  config: Readonly<Record<string, string>> = {},
  path: Path,
): void {
  const provider = findProviderOf(integration);
  if (provider === undefined) return;
  const [fault] = takeAliases(provider, config).faults;
  if (fault === undefined) return;
  throw invalidBody([...path, "connection_config", ...fault.path], fault.message);
}

async function requireIntegration(
  ctx: EnvironmentContext,
  key: string,
  path: Path,
): Promise<Integration> {
  const integration = await findCachedIntegration(ctx, key);
  if (integration !== undefined) return integration;
  throw invalidBody(path, `is no integration of this environment: there is no "${key}"`);
}

export function invalidBody(path: Path, message: string): AppError {
  return invalidFields("invalid_body", [{ path, message }]);
}
