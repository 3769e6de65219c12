import { type RouteDefinition, routes, type Scope } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { authenticateAgent, withChallenge } from "#agents";
import { recordRefusal } from "#audit";
import { admitForm, authenticateSession, isSessionToken } from "#connect";
import { authenticateKey, parseAuthorization } from "#environments";
import {
  type Actor,
  AppError,
  type EnvironmentContext,
  holdsScope,
  parseValues,
  requireStepUp,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { agentBucket, rateLimiter } from "#gateway";
import { authenticateUser, hasSessionCookie, placeUser } from "#people";

export interface IncomingCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: RouteDefinition;
}

/**
 * From an HTTP request to the context of its route: proves who calls, and that the route is theirs.
 * 401, 429 and 403, in this order, also for the session of a user, which counts only without an Authorization header;
 * a route without a listed principal admits nobody.
 */
export async function contextOfRequest(
  ctx: SystemContext,
  { request, reply, route }: IncomingCall,
): Promise<SystemContext | EnvironmentContext> {
  if (route.sessionInQuery === true) return await admitForm(ctx, formOf(request, route));
  if (route.principals.includes("public")) return ctx;
  if (request.headers.authorization === undefined && mayBeUser(request, route)) {
    return await contextOfUser(ctx, { request, reply, route });
  }
  if (route.principals.includes("agent")) {
    return await contextOfAgent(ctx, { request, reply, route });
  }
  const token = parseAuthorization(request.headers.authorization);
  const counted = toCounted(request, reply, route);
  const bySession = route.principals.includes("session");
  if (bySession && (isSessionToken(token) || route.principals.length === 1)) {
    const { environment, sessionId } = await authenticateSession(ctx, token);
    const { accountId } = environment;
    await rateLimiter.of(ctx).admit(ctx, { accountId, bucket: "session", ...counted });
    return withEnvironment(ctx, environment, { kind: "session", sessionId });
  }
  const { environment, ...key } = await authenticateKey(ctx, token, callerOf(request));
  const actor = { kind: "key", ...key } as const;
  const { accountId } = key;
  await rateLimiter.of(ctx).admit(ctx, { accountId, bucket: "key", ...counted });
  const caller =
    environment === undefined ? { ...ctx, actor } : withEnvironment(ctx, environment, actor);
  return await admit(caller, { request, route }, () => {
    if (!route.principals.includes(environment === undefined ? "account" : "environment")) {
      throw new AppError("forbidden", wrongKindOfKey(route, environment === undefined));
    }
    requireScope(actor, route);
  });
}

const MOST_OF_USER_AGENT = 200;

function callerOf({ ip, headers }: FastifyRequest) {
  return { address: ip, userAgent: headers["user-agent"]?.slice(0, MOST_OF_USER_AGENT) ?? null };
}

/** An agent with a token; a client without one learns where it may get one. */
async function contextOfAgent(
  ctx: SystemContext,
  { request, reply, route }: IncomingCall,
): Promise<EnvironmentContext> {
  try {
    const token = parseAuthorization(request.headers.authorization);
    const { environment, actor } = await authenticateAgent(ctx, token, request.params);
    const counted = toCounted(request, reply, route);
    await rateLimiter.of(ctx).admit(ctx, {
      accountId: environment.accountId,
      bucket: agentBucket(actor.sessionId),
      ...counted,
    });
    return withEnvironment(ctx, environment, actor);
  } catch (error) {
    throw withChallenge(ctx, error, request.params);
  }
}

/** The caller, once `require` has not thrown; a refusal is kept account of. */
async function admit<Ctx extends SystemContext>(
  ctx: Ctx,
  { request, route }: Pick<IncomingCall, "request" | "route">,
  require: () => void,
): Promise<Ctx> {
  try {
    require();
    return ctx;
  } catch (error) {
    if (error instanceof AppError) {
      const { code } = error;
      const name = routeNames.get(route) ?? route.path;
      await recordRefusal(ctx, { name, route, code, params: request.params });
    }
    throw error;
  }
}

const routeNames = new Map<RouteDefinition, string>(
  Object.entries(routes).map(([name, route]) => [route, name]),
);

/** Routes for users alone, and those for keys where the request has cookies. */
function mayBeUser({ headers }: FastifyRequest, { principals }: RouteDefinition): boolean {
  if (principals.includes("user")) return true;
  const takesKeys = principals.includes("environment") || principals.includes("account");
  return takesKeys && hasSessionCookie(headers.cookie);
}

/** A user's session stands for a key: of the environment that `Svc-Environment` names, or of the account. */
async function contextOfUser(
  ctx: SystemContext,
  { request, reply, route }: IncomingCall,
): Promise<SystemContext | EnvironmentContext> {
  if (route.sessions === "refused") throw new AppError("session_not_taken");
  const { headers } = request;
  const signedIn = await authenticateUser(ctx, {
    headers,
    withoutCsrf: route.withoutCsrf === true,
  });
  const { accountId } = signedIn;
  const counted = toCounted(request, reply, route);
  await rateLimiter.of(ctx).admit(ctx, { accountId, bucket: "user", ...counted });
  const { principals } = route;
  const placed = await placeUser(ctx, signedIn, { principals, headers });
  return await admit(placed.ctx, { request, route }, () => {
    // With a password alone they can look after themselves: add what is missing.
    if (signedIn.lacksSecondFactor && route.scope !== "user") {
      throw new AppError("second_factor_missing");
    }
    requireScope(placed.ctx.actor, route);
    if (route.stepUp === "always" || (route.stepUp === "production" && placed.isProduction)) {
      requireStepUp(placed.ctx.actor, ctx.clock.now());
    }
  });
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

function requireScope(actor: Actor, { scope }: RouteDefinition): void {
  if (scope === "any-key" || scope === "public" || scope === "session" || scope === "user") return;
  const wanted: readonly Scope[] = [scope].flat() as readonly Scope[];
  if (wanted.some((each) => holdsScope(actor, each))) return;
  const names = wanted.map((each) => `\`${each}\``).join(" or ");
  const caller = actor.kind === "user" ? "Your role" : "The API key";
  throw new AppError("forbidden", `${caller} lacks the scope ${names}.`);
}

function wrongKindOfKey({ principals }: RouteDefinition, isAccountKey: boolean): string {
  if (principals.includes("user")) return "This route takes the session of a user, not an API key.";
  return isAccountKey
    ? "This is a key of the account; the route takes a key of an environment."
    : "This is a key of an environment; the route takes a key of the account.";
}
