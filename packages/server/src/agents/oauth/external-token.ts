import { randomUUID } from "node:crypto";
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { getEnvironment } from "#environments";
import {
  AppError,
  addMs,
  DAY,
  type EnvironmentContext,
  MINUTE,
  SECOND,
  type SystemContext,
  serverState,
  stopping,
  withEnvironment,
} from "#foundation";
import { discoverIssuer, throughEgress } from "#people";
import { lookupHash } from "#vault";
import { AGENT_TOKEN, type ServedSession } from "../sessions/session.ts";
import { findSessionByHash, insertSession } from "../sessions/store.ts";
import { noteRefusal } from "../sign-in/note-refusal.ts";
import { findToolsetById } from "../toolsets/store.ts";
import { type Authorization, narrowBudget, type Toolset } from "../toolsets/toolset.ts";
import { isToolsetId, resourceOf, toEffects } from "./resource.ts";

const LONGEST_TOKEN = 8192;
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** A session ends with its token, and within a day. */
const LONGEST_LIFE_MS = DAY;
/** Signatures alone: with a shared secret a verifier could sign. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];

export function isExternalToken(token: string): boolean {
  return token.length <= LONGEST_TOKEN && compact.test(token);
}

type External = Extract<Authorization, { mode: "external" }>;

/**
 * The session of a token that the customer's authorization server has issued for this toolset; undefined for any other
 * token. The first request with a token begins it.
 */
export async function findExternalSession(
  ctx: SystemContext,
  token: string,
  toolsetId: string,
): Promise<ServedSession | undefined> {
  if (!isToolsetId(toolsetId)) return undefined;
  const tokenHash = await lookupHash(ctx, AGENT_TOKEN, token);
  const known = await findSessionByHash(ctx.db, tokenHash);
  if (known !== undefined) return known;
  const toolset = await findToolsetById(ctx.db, { id: toolsetId });
  if (toolset?.settings.authorization?.mode !== "external") return undefined;
  const inside = withEnvironment(ctx, await getEnvironment(ctx, toolset.environmentId));
  const claims = await verify(inside, token, { toolset, external: toolset.settings.authorization });
  if (claims === undefined) return undefined;
  await beginSession(inside, { toolset, tokenHash, ...claims });
  return await findSessionByHash(ctx.db, tokenHash);
}

interface Claims {
  readonly endUserId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

async function verify(
  ctx: EnvironmentContext,
  token: string,
  { toolset, external }: { toolset: Toolset; external: External },
): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(token, await getKeys(ctx, external.issuer), {
      ...{ algorithms, issuer: external.issuer, audience: resourceOf(ctx.settings, toolset.id) },
      ...{ requiredClaims: ["exp"], clockTolerance: 5, currentDate: ctx.clock.now() },
    });
    return readClaims(payload, external);
  } catch (error) {
    if (!(error instanceof errors.JOSEError) && !(error instanceof AppError)) throw error;
    noteRefusal(ctx, {
      ...{ code: "invalid_token", message: error.message },
      meta: { toolset: toolset.name },
    });
    return undefined;
  }
}

function readClaims(payload: JWTPayload, { end_user_claim: name, issuer }: External): Claims {
  const endUserId = payload[name];
  if (typeof endUserId !== "string" || endUserId === "" || endUserId.length > 255) {
    throw new errors.JWTInvalid(`the claim "${name}" names no end user`);
  }
  const client = payload["client_id"] ?? payload["azp"];
  return {
    endUserId,
    clientId: typeof client === "string" ? client.slice(0, 500) : issuer,
    scopes: typeof payload["scope"] === "string" ? payload["scope"].split(" ") : [],
    expiresAt: new Date((payload.exp ?? 0) * SECOND),
  };
}

async function beginSession(
  ctx: EnvironmentContext,
  row: Claims & { readonly toolset: Toolset; readonly tokenHash: Buffer },
): Promise<void> {
  const { toolset, tokenHash, endUserId, clientId, scopes } = row;
  const effects = toEffects(scopes);
  const createdAt = ctx.clock.now();
  const latest = addMs(createdAt, LONGEST_LIFE_MS);
  await insertSession(ctx.db, ctx.environment.id, {
    ...{ id: randomUUID(), tokenHash, endUserId, clientId, createdAt },
    ...{ toolsetId: toolset.id, toolset: toolset.name, toolsetVersion: toolset.version },
    // An issuer that knows nothing of our scopes gives all that the toolset has.
    ...(effects.length === 0 ? { policy: {} } : { policy: { effects }, askedEffects: effects }),
    budget: narrowBudget(toolset.settings.budget),
    expiresAt: new Date(Math.min(row.expiresAt.getTime(), latest.getTime())),
  });
}

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** Of issuers that were asked lately; one that fails is asked again in half a minute. */
const issuers = serverState(
  () => new LRUCache<string, Promise<Keys>>({ max: 500, ttl: 60 * MINUTE }),
);
const AFTER_FAILURE_MS = 30 * SECOND;

async function getKeys(ctx: EnvironmentContext, issuer: string): Promise<Keys> {
  const known = issuers.of(ctx);
  // What an environment's egress may reach is its own.
  const key = `${ctx.environment.id} ${issuer}`;
  const found = known.get(key);
  if (found !== undefined) return await found;
  const lasting = { ...ctx, signal: stopping.of(ctx).signal };
  const made = discoverKeys(lasting, issuer);
  known.set(key, made);
  made.catch(() => known.set(key, made, { ttl: AFTER_FAILURE_MS }));
  return await made;
}

async function discoverKeys(ctx: EnvironmentContext, issuer: string): Promise<Keys> {
  const found = await discoverIssuer(ctx, { issuer, clientId: "none", secret: undefined });
  const { jwks_uri: address } = found.serverMetadata();
  if (address === undefined) {
    throw new AppError("identity_provider_failed", `The issuer ${issuer} names no keys.`);
  }
  const get = throughEgress(ctx);
  return createRemoteJWKSet(new URL(address), {
    [customFetch]: async (url, { headers, method }) =>
      await get(url, {
        ...{ method, redirect: "manual", body: undefined },
        headers: Object.fromEntries(headers),
      }),
  });
}
