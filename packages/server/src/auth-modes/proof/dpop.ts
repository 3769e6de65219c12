import { createHash, createPrivateKey, createPublicKey, randomUUID } from "node:crypto";
import { renderOptional } from "@jackfield/catalogue";
import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import { SECOND } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthSubject, Credentials } from "../auth-mode.ts";
import { findProofKey } from "../read-credentials.ts";
import { signJwt } from "./sign-jwt.ts";
import type { SigningFacts } from "./signing-facts.ts";

/** A new pair of keys for proofs of possession (ES256); the private one, as PEM. */
export async function newProofKey(): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return await exportPKCS8(privateKey);
}

export interface ProofInput {
  /** PEM. */
  readonly key: string;
  readonly method: string;
  readonly url: string;
  /** Of a call to a resource: the token that the proof is for. */
  readonly accessToken?: string | undefined;
}

/** Value of the header `DPoP` (RFC 9449 section 4.2). */
export async function signProof(
  { key, method, url, accessToken }: ProofInput,
  { now, dpopNonce: nonce }: SigningFacts,
): Promise<string> {
  const jwk = await exportJWK(createPublicKey(createPrivateKey(key)));
  return await signJwt({
    alg: "ES256",
    key,
    header: { typ: "dpop+jwt", jwk },
    claims: {
      jti: randomUUID(),
      htm: method.toUpperCase(),
      htu: url.split(/[?#]/, 1)[0],
      iat: Math.floor(now.getTime() / SECOND),
      ...(accessToken === undefined ? {} : { ath: toHash(accessToken) }),
      ...(nonce === undefined ? {} : { nonce }),
    },
  });
}

function toHash(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/** Whether these credentials work only with a proof for each call. */
export function isBound(credentials: Credentials): boolean {
  return findProofKey(credentials) !== undefined;
}

/** Whether tokens of this entry may be bound to a key. */
export function usesProof(subject: AuthSubject): boolean {
  const { provider } = subject;
  if (!("dpop" in provider)) return false;
  return renderOptional(provider.dpop, toTemplateValues(subject)) !== "none";
}

/** The headers of a call that send a bound token with a proof, instead of as a bearer token (RFC 9449 section 7.1). */
export async function proveToken(
  credentials: Credentials,
  headers: ReadonlyMap<string, string>,
  call: { readonly method: string; readonly url: string },
  facts: SigningFacts,
): Promise<ReadonlyMap<string, string>> {
  const key = findProofKey(credentials);
  const [, accessToken] = /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (key === undefined || accessToken === undefined) return headers;
  const dpop = await signProof({ key, ...call, accessToken }, facts);
  return new Map([...headers, ["authorization", `DPoP ${accessToken}`], ["dpop", dpop]]);
}
