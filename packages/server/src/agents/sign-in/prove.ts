import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
} from "openid-client";
import { isBoundBrowser, newBrowserBinding } from "#connect";
import { AppError, addMs, type EnvironmentContext, MINUTE } from "#foundation";
import { discoverIssuer, toProviderFailure } from "#people";
import { deriveKey, lookupHash, open } from "#vault";
import { issuerOf } from "../oauth/resource.ts";
import { refuse } from "./note-refusal.ts";
import {
  type Authorization,
  bindBrowser,
  endAuthorization,
  findSignIn,
  insertAuthorization,
  proveAuthorization,
  type SignIn,
} from "./store.ts";

export const PROOF_LIFE_MS = 10 * MINUTE;
const TICKET = "agent-authorization-ticket";

export interface Departure {
  readonly location: string;
  readonly cookie: string;
}

/** Sends a browser, which wants to let a client in, to where its user is known. */
export async function beginProof(ctx: EnvironmentContext, interaction: string): Promise<Departure> {
  const id = randomUUID();
  const signIn = await requireSignIn(ctx);
  const { cookie, secretHash } = newBrowserBinding(ctx.settings, id);
  const now = ctx.clock.now();
  await insertAuthorization(ctx.db, ctx.environment.id, {
    ...{ id, purpose: "client", interaction, browserHash: secretHash },
    ...{ sessionId: null, integration: null, connectionId: null, wantedEndUserId: null },
    ...{ approvalId: null, now, expiresAt: addMs(now, PROOF_LIFE_MS) },
  });
  return { cookie, location: await locationOf(ctx, signIn, id) };
}

/** The same for a browser whose user is to approve a call of an agent that acts for them. */
export async function beginApprovalProof(
  ctx: EnvironmentContext,
  { id: approvalId, sessionId, endUserId }: { id: string; sessionId: string; endUserId: string },
): Promise<Departure> {
  const id = randomUUID();
  const signIn = await requireSignIn(ctx);
  const { cookie, secretHash } = newBrowserBinding(ctx.settings, id);
  const now = ctx.clock.now();
  await insertAuthorization(ctx.db, ctx.environment.id, {
    ...{ id, purpose: "approve", approvalId, sessionId, wantedEndUserId: endUserId },
    ...{ interaction: null, integration: null, connectionId: null, browserHash: secretHash },
    ...{ now, expiresAt: addMs(now, PROOF_LIFE_MS) },
  });
  return { cookie, location: await locationOf(ctx, signIn, id) };
}

/** The same for a browser that came by an address which says already what it is about. */
export async function beginKnownProof(ctx: EnvironmentContext, id: string): Promise<Departure> {
  const signIn = await requireSignIn(ctx);
  const { cookie, secretHash } = newBrowserBinding(ctx.settings, id);
  await bindBrowser(ctx.db, ctx.environment.id, { id, browserHash: secretHash });
  return { cookie, location: await locationOf(ctx, signIn, id) };
}

async function requireSignIn(ctx: EnvironmentContext): Promise<SignIn> {
  const signIn = await findSignIn(ctx.db, ctx.environment.id);
  if (signIn !== undefined) return signIn;
  throw refuse(ctx, {
    code: "forbidden",
    message:
      "Nobody can tell whose browser this is: the environment has neither a verifier nor an identity provider (PUT /agent/sign-in).",
  });
}

async function locationOf(ctx: EnvironmentContext, signIn: SignIn, id: string): Promise<string> {
  if (signIn.verifierUrl !== null) {
    const url = new URL(signIn.verifierUrl);
    url.searchParams.set("authorization_id", id);
    return url.href;
  }
  const client = await openIdentityProvider(ctx, signIn);
  const { nonce, codeVerifier } = await secretsOf(ctx, id);
  const location = buildAuthorizationUrl(client, {
    ...{ redirect_uri: callbackOf(ctx), scope: "openid", state: id, nonce },
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  });
  return location.href;
}

export function callbackOf({ settings }: Pick<EnvironmentContext, "settings">): string {
  return `${settings.serverUrl}/agent/sign-in/callback`;
}

export async function openIdentityProvider(
  ctx: EnvironmentContext,
  { issuer, clientId, clientSecret }: Pick<SignIn, "issuer" | "clientId" | "clientSecret">,
): Promise<Configuration> {
  if (issuer === null || clientId === null) throw new Error("the verifier is no identity provider");
  const secret =
    clientSecret === null ? undefined : (await open(ctx, secretAad(ctx), clientSecret)).toString();
  return await discoverIssuer(ctx, { issuer, clientId, secret });
}

export function secretAad({ environment: { id } }: EnvironmentContext) {
  return { environmentId: id, table: "agent_sign_ins", column: "client_secret", row: id };
}

/** What ties the identity provider's answer to the question; it follows from the environment's key. */
async function secretsOf(ctx: EnvironmentContext, id: string) {
  const key = await deriveKey(ctx, {
    environmentId: ctx.environment.id,
    purpose: "agent-sign-in",
  });
  const derive = (name: string) =>
    createHmac("sha256", key).update(`${name} ${id}`).digest("base64url");
  return { nonce: derive("nonce"), codeVerifier: derive("verifier") };
}

/** The browser is back from the identity provider; resolves to where it goes next. */
export async function finishOidcProof(
  ctx: EnvironmentContext,
  authorization: Authorization,
  { query, cookies }: { query: string; cookies: string | undefined },
): Promise<string> {
  requireBrowser(ctx, authorization, cookies);
  const signIn = await requireSignIn(ctx);
  const client = await openIdentityProvider(ctx, signIn);
  const { nonce, codeVerifier } = await secretsOf(ctx, authorization.id);
  const current = new URL(callbackOf(ctx));
  current.search = query;
  const claims = await authorizationCodeGrant(client, current, {
    ...{ pkceCodeVerifier: codeVerifier, expectedState: authorization.id },
    ...{ expectedNonce: nonce, idTokenExpected: true },
  }).then(
    (tokens) => tokens.claims(),
    (cause: unknown) => {
      throw toProviderFailure(cause);
    },
  );
  const endUserId: unknown = claims?.[signIn.endUserClaim];
  if (typeof endUserId !== "string" || endUserId === "" || endUserId.length > 255) {
    throw refuse(ctx, {
      code: "forbidden",
      message: `The identity provider does not say who you are: its claim "${signIn.endUserClaim}" is missing.`,
    });
  }
  return await noteProof(ctx, authorization, endUserId);
}

/** Notes who the browser's user is; resolves to where that browser goes next. Throws not_found, forbidden. */
export async function noteProof(
  ctx: EnvironmentContext,
  authorization: Authorization,
  endUserId: string,
): Promise<string> {
  const { id, wantedEndUserId } = authorization;
  const environmentId = ctx.environment.id;
  if (wantedEndUserId !== null && wantedEndUserId !== endUserId) {
    await endAuthorization(ctx.db, environmentId, { id, state: "refused" });
    throw refuse(ctx, {
      ...{ code: "forbidden", meta: { authorization: id } },
      message: "This request is for another person than the one who is signed in.",
    });
  }
  const ticket = randomBytes(32).toString("base64url");
  const ticketHash = await lookupHash(ctx, TICKET, ticket);
  const now = ctx.clock.now();
  if (!(await proveAuthorization(ctx.db, environmentId, { id, endUserId, ticketHash, now }))) {
    throw refuse(ctx, { code: "not_found", message: ENDED, meta: { authorization: id } });
  }
  return `${pageOf(ctx, authorization)}?ticket=${ticket}`;
}

const ENDED = "This request has expired, was answered, or was never opened in a browser.";

function pageOf(
  { settings, environment }: EnvironmentContext,
  { id, purpose, interaction, approvalId }: Authorization,
): string {
  switch (purpose) {
    case "connect":
      return `${settings.serverUrl}/connect/agent/${id}`;
    case "approve":
      return `${settings.serverUrl}/agent/approve/${approvalId}`;
    case "client":
      return `${issuerOf(settings, environment.id)}/interaction/${interaction}`;
  }
}

/** The end user of a browser that comes back with its ticket; throws not_found, forbidden. */
export async function requireProof(
  ctx: EnvironmentContext,
  authorization: Authorization | undefined,
  { ticket, cookies }: { ticket: string; cookies: string | undefined },
): Promise<Authorization & { readonly endUserId: string }> {
  const held = await lookupHash(ctx, TICKET, ticket);
  if (authorization === undefined || authorization.expiresAt <= ctx.clock.now()) {
    throw refuse(ctx, { code: "not_found", message: ENDED });
  }
  requireBrowser(ctx, authorization, cookies);
  const { state, ticketHash, endUserId } = authorization;
  const isHeld = ticketHash !== null && timingSafeEqual(ticketHash, held);
  if (state !== "proven" || !isHeld || endUserId === null) {
    const meta = { authorization: authorization.id };
    throw refuse(ctx, { code: "not_found", message: ENDED, meta });
  }
  return { ...authorization, endUserId };
}

/** Who began it has the cookie: a link to it that somebody else was sent opens nothing (RFC 9700, section 4.7). */
function requireBrowser(
  ctx: EnvironmentContext,
  { id, browserHash }: Authorization,
  cookies: string | undefined,
): void {
  if (browserHash !== null && isBoundBrowser(ctx.settings, id, browserHash, cookies)) return;
  throw refuse(ctx, {
    ...{ code: "forbidden", meta: { authorization: id } },
    message: "This was begun in another browser. Begin again in this one, from where you came.",
  });
}

/** Throws not_found for one that is not waiting. */
export function requireOpen(
  ctx: EnvironmentContext,
  authorization: Authorization | undefined,
): Authorization {
  if (authorization?.state === "open" && authorization.expiresAt > ctx.clock.now()) {
    return authorization;
  }
  throw new AppError("not_found", ENDED);
}
