import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { AppError, MINUTE, messageOf, type SystemContext } from "#foundation";
import { findUser, markSignedIn, type UserRow } from "../users/store.ts";
import { newChallenge, useChallenge } from "./challenge.ts";
import { loadLibrary } from "./load-library.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { findPasskey, markPasskeyUsed, type PasskeyRow } from "./store.ts";

const SIGN_IN = "sign in";

export async function newSignInOptions(ctx: SystemContext) {
  const { generateAuthenticationOptions } = await loadLibrary();
  return await generateAuthenticationOptions({
    rpID: relyingPartyOf(ctx.settings).id,
    challenge: new Uint8Array(await newChallenge(ctx, SIGN_IN)),
    // Without a list the browser offers what the person has for this host.
    userVerification: "required",
    timeout: 5 * MINUTE,
  });
}

/** The user whose passkey has signed; throws sign_in_failed for every reason. */
export async function checkPasskey(
  ctx: SystemContext,
  answer: Readonly<Record<string, unknown>>,
): Promise<UserRow> {
  const passkey =
    typeof answer["id"] === "string" ? await findPasskey(ctx.db, answer["id"]) : undefined;
  const user = passkey === undefined ? undefined : await findUser(ctx.db, passkey.userId);
  if (passkey === undefined || user === undefined || user.disabledAt !== null) throw refuse();
  const counter = await verify(ctx, passkey, answer);
  const now = ctx.clock.now();
  await markPasskeyUsed(ctx.db, { id: passkey.id, counter, now });
  await markSignedIn(ctx.db, user.id, now);
  return user;
}

/** The authenticator's counter; one that went back is refused, since the key may have been copied. */
async function verify(
  ctx: SystemContext,
  { id, userId, credentialId, publicKey, counter }: PasskeyRow,
  answer: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { id: expectedRPID, origins: expectedOrigin } = relyingPartyOf(ctx.settings);
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: asAnswer(answer),
      expectedChallenge: async (challenge) => await useChallenge(ctx, SIGN_IN, challenge),
      expectedOrigin,
      expectedRPID,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
      requireUserVerification: true,
    });
    if (verified) return authenticationInfo.newCounter;
  } catch (error) {
    ctx.log.warn("people.passkey_refused", { passkey: id, userId, reason: messageOf(error) });
  }
  throw refuse();
}

function refuse(): AppError {
  return new AppError(
    "sign_in_failed",
    "The passkey is not known here, or its answer is not valid.",
  );
}

// The library checks every field that it reads.
function asAnswer(answer: Readonly<Record<string, unknown>>): AuthenticationResponseJSON {
  return answer as unknown as AuthenticationResponseJSON;
}
