import { createHash } from "node:crypto";
import { type JWTPayload, jwtVerify } from "jose";
import type { InboundRequest, ProofTools } from "../match/router.ts";
import { isCanonical, isRecent, isSame } from "../match/router-kit.ts";

// As much as the clocks of two servers may be apart.
const TOLERANCE_SECONDS = 60;

/**
 * Whether the token is signed by the secret, still holds, and was made for this request where it names one. Source:
 * Atlassian docs, "Webhooks" of Jira Cloud, "Authentication for OAuth 2.0 apps"; "Understanding JWT for Connect apps".
 */
export async function isAtlassianToken(
  token: string,
  secret: string,
  { request, now }: { request: InboundRequest } & Pick<ProofTools, "now">,
): Promise<boolean> {
  if (!isCanonical(token)) return false;
  // The one algorithm of both kinds: a token that names another, or none, is refused unread.
  const { payload } = await jwtVerify(token, Buffer.from(secret), {
    algorithms: ["HS256"],
    clockTolerance: TOLERANCE_SECONDS,
    currentDate: now,
  });
  return isTimely(payload, now) && isFor(request, payload["qsh"]);
}

/** The token does not cover the body, so one without an end would open the door for good. */
function isTimely({ exp, iat }: JWTPayload, now: Date): boolean {
  if (exp === undefined) return iat !== undefined && isRecent(iat, now);
  return iat === undefined || iat * 1000 <= now.getTime() + TOLERANCE_SECONDS * 1000;
}

/**
 * What Connect apps get names the request by a hash. A token for a page's context (`context-qsh`) is visible to
 * anyone who looks at that page, and proves no request.
 */
function isFor({ method, url }: InboundRequest, hash: unknown): boolean {
  if (hash === undefined) return true;
  if (typeof hash !== "string") return false;
  const { pathname, searchParams } = new URL(url);
  const query = canonicalQuery(searchParams);
  // The path is relative to the app's base URL, which may end anywhere in ours.
  const names = pathname.split("/").filter((name) => name !== "");
  return [...names.keys(), names.length].some((from) => {
    const path = `/${names.slice(from).join("/")}`;
    const made = createHash("sha256").update(`${method.toUpperCase()}&${path}&${query}`);
    return isSame(made.digest("hex"), hash);
  });
}

/** Sorted by name, the values of one name in one place; without the token itself. */
function canonicalQuery(parameters: URLSearchParams): string {
  const names = [...new Set(parameters.keys())].filter((name) => name !== "jwt");
  return names
    .map((name) => `${encode(name)}=${parameters.getAll(name).toSorted().map(encode).join(",")}`)
    .toSorted()
    .join("&");
}

/** Percent-encoded but for the unreserved characters (RFC 3986 section 2.3). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
