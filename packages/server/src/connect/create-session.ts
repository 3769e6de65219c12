import { randomUUID } from "node:crypto";
import { isReservedAuthorizationParam } from "@jackfield/catalogue";
import { getIntegration } from "#integrations";
import { AppError, addMs, type EnvironmentContext } from "#platform";
import { lookupHash } from "#vault";
import {
  type IntegrationDefaults,
  newSessionToken,
  SESSION_LIFE_MS,
  type SessionSettings,
} from "./session.ts";
import { insertSession } from "./store.ts";

export interface CreatedSession {
  readonly token: string;
  readonly connectLink: string;
  readonly expiresAt: Date;
}

/** Hash purpose of session tokens. */
export const SESSION_TOKEN = "connect-session-token";

/** Makes a session of 30 minutes; its token is shown once and stored only as a keyed hash. */
export async function createSession(
  ctx: EnvironmentContext,
  settings: SessionSettings,
): Promise<CreatedSession> {
  await requireIntegrations(ctx, settings);
  if (settings.webhookUrlOverride) await ctx.http.requireAllowedUrl(settings.webhookUrlOverride);
  const token = newSessionToken();
  const createdAt = ctx.clock.now();
  const expiresAt = addMs(createdAt, SESSION_LIFE_MS);
  await insertSession(ctx.db, ctx.environment.id, {
    id: randomUUID(),
    tokenHash: await lookupHash(ctx, SESSION_TOKEN, token),
    settings,
    createdAt,
    expiresAt,
  });
  const link = new URL(`${ctx.settings.connectUrl.replace(/\/+$/, "")}/`);
  link.searchParams.set("session_token", token);
  return { token, connectLink: link.href, expiresAt };
}

async function requireIntegrations(
  ctx: EnvironmentContext,
  { allowedIntegrations = [], defaults }: SessionSettings,
): Promise<void> {
  for (const [index, key] of allowedIntegrations.entries()) {
    await requireIntegration(ctx, key, ["allowed_integrations", String(index)]);
  }
  for (const [key, values] of Object.entries(defaults)) {
    const path = ["integrations_config_defaults", key];
    await requireIntegration(ctx, key, path);
    requireFreeParams(values, path);
  }
}

async function requireIntegration(
  ctx: EnvironmentContext,
  key: string,
  path: readonly string[],
): Promise<void> {
  try {
    await getIntegration(ctx, key);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unknown_provider_config") throw error;
    throw invalidBody(path, `there is no integration ${key}`);
  }
}

function requireFreeParams(
  { authorizationParams = {} }: IntegrationDefaults,
  path: readonly string[],
): void {
  const reserved = Object.keys(authorizationParams).find(isReservedAuthorizationParam);
  if (reserved === undefined) return;
  throw invalidBody([...path, "authorization_params", reserved], "is set by the platform");
}

function invalidBody(path: readonly string[], message: string): AppError {
  const details = [{ code: "custom", message, path }];
  return new AppError("invalid_body", `${path.join(".")}: ${message}`, { details });
}
