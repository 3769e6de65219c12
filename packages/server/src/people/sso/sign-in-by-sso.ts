import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
} from "openid-client";
import { AppError, type Settings, type SystemContext } from "#foundation";
import type { UserRow } from "../users/store.ts";
import { type Attempt, newAttempt } from "./attempt-cookie.ts";
import { openClient, toProviderFailure } from "./open-client.ts";
import { settleUser } from "./settle-user.ts";
import { findProvider, type ProviderRow } from "./store.ts";

/** The API at the dashboard's origin, where its cookies are. */
export function redirectUriOf({ dashboardUrl }: Settings, id: string): string {
  return `${dashboardUrl.replace(/\/dashboard$/, "")}/auth/oidc/${id}/callback`;
}

/** Where the browser goes, and the cookie by which it is known when it comes back. Throws not_found. */
export async function beginSignIn(
  ctx: SystemContext,
  id: string,
): Promise<{ location: string; cookie: string }> {
  const provider = await getProvider(ctx, id);
  const client = await openClient(ctx, provider);
  const { attempt, cookie } = newAttempt(ctx.settings);
  const location = buildAuthorizationUrl(client, {
    redirect_uri: redirectUriOf(ctx.settings, id),
    scope: "openid email profile",
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: "S256",
  });
  return { location: location.href, cookie };
}

/** The user who comes back from the identity provider; throws not_found, sign_in_failed, identity_provider_failed. */
export async function finishSignIn(
  ctx: SystemContext,
  id: string,
  { attempt, query }: { attempt: Attempt | undefined; query: string },
): Promise<UserRow> {
  const provider = await getProvider(ctx, id);
  if (attempt === undefined) {
    throw new AppError(
      "sign_in_failed",
      "The sign-in was begun in another browser, or more than 10 minutes ago.",
    );
  }
  const client = await openClient(ctx, provider);
  const current = new URL(redirectUriOf(ctx.settings, id));
  current.search = query;
  const claims = await authorizationCodeGrant(client, current, {
    pkceCodeVerifier: attempt.codeVerifier,
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    idTokenExpected: true,
  }).then(
    (tokens) => tokens.claims(),
    (cause: unknown) => {
      throw toProviderFailure(cause);
    },
  );
  if (claims === undefined) throw new AppError("identity_provider_failed");
  return await settleUser(ctx, provider, claims);
}

async function getProvider(ctx: SystemContext, id: string): Promise<ProviderRow> {
  const provider = await findProvider(ctx.db, id);
  if (provider !== undefined) return provider;
  throw new AppError("not_found", `There is no identity provider ${id}.`);
}
