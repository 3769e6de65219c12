import { createPrivateKey, type KeyObject } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import type { EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import { type AssociatedData, openJson, sealJson } from "#vault";
import { findReportKey, insertReportKey, type PublicKey, type ReportKey } from "./store.ts";

interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

const cached = defineCache<SigningKey>({ maxEntries: 100 });

/** The key that signs for the environment, made when the first report is signed. */
export async function getSigningKey(ctx: EnvironmentContext): Promise<SigningKey> {
  const { id } = ctx.environment;
  const known = await cached.find(ctx, id, async () => {
    const value = await openKey(ctx);
    return value && { value, rows: [`environments ${id}`, `report_keys ${id}`] };
  });
  if (known !== undefined) return known;
  await makeKey(ctx);
  const made = await openKey(ctx);
  if (made === undefined)
    throw new Error("The environment was deleted while it was being signed for.");
  return made;
}

async function openKey(ctx: EnvironmentContext): Promise<SigningKey | undefined> {
  const stored = await findReportKey(ctx.db, ctx.environment.id);
  if (stored === undefined) return undefined;
  const key = asJwk(await openJson(ctx, aadOf(ctx), stored.sealed));
  return { kid: stored.publicKey.kid, key: createPrivateKey({ key, format: "jwk" }) };
}

async function makeKey(ctx: EnvironmentContext): Promise<void> {
  const made = await newKey(ctx);
  await insertReportKey(ctx.db, ctx.environment.id, { ...made, now: ctx.clock.now() });
}

/** A new pair of keys, the private one sealed for the environment. */
export async function newKey(ctx: EnvironmentContext): Promise<ReportKey> {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk = await exportJWK(privateKey);
  const { x = "" } = jwk;
  const open = { kty: "OKP", crv: "Ed25519", x } as const;
  const publicKey: PublicKey = {
    ...open,
    ...{ kid: await calculateJwkThumbprint(open), alg: "EdDSA", use: "sig" },
  };
  return { publicKey, sealed: await sealJson(ctx, aadOf(ctx), jwk) };
}

function aadOf({ environment }: EnvironmentContext): AssociatedData {
  const { id: environmentId } = environment;
  return { environmentId, table: "report_keys", column: "private_key", row: environmentId };
}

// Authenticated encryption: what opens is what makeKey sealed.
function asJwk(opened: unknown): JWK & { readonly kty: string } {
  return opened as JWK & { readonly kty: string };
}
