import { randomUUID } from "node:crypto";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { AppError, MINUTE, messageOf, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { markSecondFactor } from "../sessions/store.ts";
import { getUser } from "../users/store.ts";
import { newChallenge, useChallenge } from "./challenge.ts";
import { loadLibrary } from "./load-library.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { insertPasskey, listPasskeyRows, type PasskeyRow } from "./store.ts";

const MOST_PASSKEYS = 20;

/** EdDSA, ES256 and RS256, as COSE numbers them: between them every authenticator has one. */
const algorithms = [-8, -7, -257] as const;

function purposeOf(userId: string): string {
  return `add ${userId}`;
}

/** Options by which the browser makes a passkey that names its user by itself, and asks for their finger or code. */
export async function newPasskeyOptions(ctx: SystemContext, userId: string) {
  const { generateRegistrationOptions } = await loadLibrary();
  const user = await getUser(ctx.db, userId);
  const known = await listPasskeyRows(ctx.db, userId);
  return await generateRegistrationOptions({
    rpName: "Jackfield",
    rpID: relyingPartyOf(ctx.settings).id,
    userName: user.email,
    userDisplayName: user.name,
    userID: new Uint8Array(Buffer.from(userId)),
    challenge: new Uint8Array(await newChallenge(ctx, purposeOf(userId))),
    timeout: 5 * MINUTE,
    attestationType: "none",
    supportedAlgorithmIDs: [...algorithms],
    excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Adds what the browser made; throws passkey_refused, conflict for one that is known, resource_capped at 20. */
export async function addPasskey(
  ctx: SystemContext,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  { name, answer }: { name: string; answer: Readonly<Record<string, unknown>> },
): Promise<PasskeyRow> {
  const known = await listPasskeyRows(ctx.db, userId);
  if (known.length >= MOST_PASSKEYS) {
    throw new AppError(
      "resource_capped",
      `You have ${MOST_PASSKEYS} passkeys, which is the limit.`,
    );
  }
  const { credential, isSynced } = await verify(ctx, userId, answer);
  const passkey = {
    id: randomUUID(),
    userId,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports?.map(String) ?? [],
    name,
    isSynced,
    createdAt: ctx.clock.now(),
  };
  await withTransaction(ctx, async ({ db }) => {
    if (!(await insertPasskey(db, passkey))) {
      throw new AppError("conflict", "This passkey is known already.");
    }
    await markSecondFactor(db, { id: sessionId, has: true });
  });
  return { ...passkey, lastUsedAt: null };
}

async function verify(
  ctx: SystemContext,
  userId: string,
  answer: Readonly<Record<string, unknown>>,
) {
  const { id: expectedRPID, origins: expectedOrigin } = relyingPartyOf(ctx.settings);
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: asAnswer(answer),
      expectedChallenge: async (challenge) => await useChallenge(ctx, purposeOf(userId), challenge),
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...algorithms],
    });
    if (!verified) throw new AppError("passkey_refused");
    return {
      credential: registrationInfo.credential,
      isSynced: registrationInfo.credentialBackedUp,
    };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("passkey_refused", `The passkey was not taken: ${messageOf(cause)}`, {
      cause,
    });
  }
}

// The library checks every field that it reads.
function asAnswer(answer: Readonly<Record<string, unknown>>): RegistrationResponseJSON {
  return answer as unknown as RegistrationResponseJSON;
}
