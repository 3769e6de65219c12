import { createLocalJWKSet, jwtVerify } from "jose";
import type { InboundRequest, ProofTools } from "../match/router.ts";
import { isCanonical, isObject } from "../match/router-kit.ts";

const KEYS = "https://www.googleapis.com/oauth2/v3/certs";
const MAX_AGE_SECONDS = 3600;
// As much as the clocks of two servers may be apart.
const TOLERANCE_SECONDS = 60;
const ISSUERS = ["https://accounts.google.com", "accounts.google.com"];

/**
 * Whether the bearer token was signed by Google for our address (OpenID Connect Core 3.1.3.7), and for the service
 * account where one is named: anybody's account at Google gets tokens for any address.
 */
export async function isGoogleToken(
  { headers, url }: InboundRequest,
  serviceAccount: string,
  { fetchText, now }: ProofTools,
): Promise<boolean> {
  const token = /^Bearer ([\w.-]+)$/i.exec(headers["authorization"] ?? "")?.[1];
  if (token === undefined || !isCanonical(token)) return false;
  const keys: unknown = JSON.parse(await fetchText(KEYS));
  if (!isKeySet(keys)) throw new Error(`${KEYS} is no JSON Web Key Set`);
  return await jwtVerify(token, createLocalJWKSet(keys), {
    algorithms: ["RS256"],
    issuer: ISSUERS,
    audience: [url, url.split("?", 1)[0] ?? url],
    currentDate: now,
    // Google's last an hour; one without an end, or made later than now, is not of this time.
    requiredClaims: ["exp"],
    maxTokenAge: MAX_AGE_SECONDS,
    clockTolerance: TOLERANCE_SECONDS,
  }).then(
    ({ payload }) =>
      serviceAccount === "" ||
      (payload["email_verified"] === true && payload["email"] === serviceAccount),
    () => false,
  );
}

function isKeySet(value: unknown): value is Parameters<typeof createLocalJWKSet>[0] {
  return isObject(value) && Array.isArray(value["keys"]);
}
