import { hasScope, type RouteDefinition, type Scope } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { admitForm, authenticateSession, isSessionToken } from "#connect";
import { authenticateKey, parseAuthorization } from "#environments";
import { rateLimiter } from "#gateway";
import {
  AppError,
  type EnvironmentContext,
  parseValues,
  type SystemContext,
  withEnvironment,
} from "#platform";

export interface IncomingCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: RouteDefinition;
}

/**
 * From an HTTP request to the context of its route: proves who calls, and that the route is theirs.
 * 401, 429 and 403, in this order; a route without a listed principal admits nobody.
 */
export async function contextOfRequest(
  ctx: SystemContext,
  { request, reply, route }: IncomingCall,
): Promise<SystemContext | EnvironmentContext> {
  if (route.sessionInQuery === true) return await admitForm(ctx, formOf(request, route));
  if (route.principals.includes("public")) return ctx;
  const token = parseAuthorization(request.headers.authorization);
  const counted = toCounted(request, reply, route);
  const bySession = route.principals.includes("session");
  if (bySession && (isSessionToken(token) || route.principals.length === 1)) {
    const { environment, sessionId } = await authenticateSession(ctx, token);
    const { accountId } = environment;
    await rateLimiter.of(ctx).admit(ctx, { accountId, bucket: "session", ...counted });
    return withEnvironment(ctx, environment, { kind: "session", sessionId });
  }
  const { environment, ...key } = await authenticateKey(ctx, token);
  const actor = { kind: "key", ...key } as const;
  const { accountId } = key;
  await rateLimiter.of(ctx).admit(ctx, { accountId, bucket: "key", ...counted });
  if (!route.principals.includes(environment === undefined ? "account" : "environment")) {
    throw new AppError("forbidden", wrongKindOfKey(environment === undefined));
  }
  requireScope(key.scopes, route);
  return environment === undefined ? { ...ctx, actor } : withEnvironment(ctx, environment, actor);
}

function formOf({ query, params }: FastifyRequest, route: RouteDefinition) {
  const named = route.params === undefined ? {} : parseValues(route.params, params, paramsCode);
  return { query, integrationKey: String(Object(named).providerConfigKey) };
}

const paramsCode = { code: "invalid_uri_params" } as const;

/** The answer of the proxy is the provider's, whose own limits it may tell of. */
function toCounted({ raw }: FastifyRequest, reply: FastifyReply, route: RouteDefinition) {
  if (route.proxied === true) return { request: raw };
  return { request: raw, tell: (headers: Record<string, string>) => void reply.headers(headers) };
}

function requireScope(granted: readonly string[], route: RouteDefinition): void {
  if (route.scope === "any-key" || route.scope === "public" || route.scope === "session") return;
  const wanted: readonly Scope[] = [route.scope].flat() as readonly Scope[];
  if (wanted.some((scope) => hasScope(granted, scope))) return;
  const names = wanted.map((scope) => `\`${scope}\``).join(" or ");
  throw new AppError("forbidden", `The API key lacks the scope ${names}.`);
}

function wrongKindOfKey(isAccountKey: boolean): string {
  return isAccountKey
    ? "This is a key of the account; the route takes a key of an environment."
    : "This is a key of an environment; the route takes a key of the account.";
}
