import type { TokenErrors, TokenResponse } from "@jackfield/catalogue";
import { SECOND } from "#foundation";
import type { EgressResponse } from "#foundation/egress";
import { ProviderFailure } from "../observe/provider-failure.ts";
import { type AnswerFields, readPath } from "./token-answer.ts";

const revoked = new Set([
  "invalid_grant",
  "access_denied",
  "consent_required",
  "interaction_required",
  "login_required",
  "refresh_token_expired",
  // GitHub and HubSpot.
  "bad_refresh_token",
]);

const misconfigured = new Set([
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_request",
  // GitHub.
  "incorrect_client_credentials",
]);

/** RFC 9449 sections 5 and 8. */
const proofOfPossession = new Set(["invalid_dpop_proof", "use_dpop_nonce"]);

/** A server that wants proofs where none are made, or takes none of those that are. */
export function wantsProof(answered: string, providerError?: string): ProviderFailure {
  const advice = "set `dpop` of the integration to ES256, the one algorithm of proofs here";
  const message = `${answered}: it wants DPoP (RFC 9449); ${advice}.`;
  return new ProviderFailure("misconfigured", message, { providerError });
}

export interface FailureHints {
  readonly shape: Pick<TokenResponse, "error">;
  readonly errors: TokenErrors;
}

/** What a token endpoint's answer without a token means for the connection. */
export function toRefreshFailure(
  response: EgressResponse,
  answer: AnswerFields | undefined,
  now: Date,
  { shape, errors }: FailureHints,
): ProviderFailure {
  const code = readCode(answer, shape.error);
  const answered = `The token endpoint answered ${response.status}${code === undefined ? "" : ` (${code})`}`;
  const facts = { providerError: code };
  const isKnown = (codes: readonly string[]) => code !== undefined && codes.includes(code);
  if (isTransient(response.status) || isKnown(errors.transient)) {
    const retryAfterMs = readRetryAfter(response.headers["retry-after"], now);
    return new ProviderFailure("unavailable", `${answered}.`, { ...facts, retryAfterMs });
  }
  if (code !== undefined && proofOfPossession.has(code)) return wantsProof(answered, code);
  if (isKnown(errors.misconfigured)) return refused(answered, code);
  if (isKnown(errors.revoked) || (code !== undefined && revoked.has(code))) {
    return new ProviderFailure("revoked", `${answered}; authorize the connection again.`, facts);
  }
  if (code !== undefined && misconfigured.has(code)) return refused(answered, code);
  if (response.status === 404) {
    return new ProviderFailure(
      "misconfigured",
      `${answered}; check the integration's token URL.`,
      facts,
    );
  }
  const what = answer === undefined ? "with something that is no token answer" : "without a token";
  const withoutToken = response.status < 300 && answer !== undefined;
  const message = `${answered} ${what}.`;
  return new ProviderFailure("unavailable", message, { ...facts, withoutToken });
}

function refused(answered: string, providerError: string | undefined): ProviderFailure {
  return new ProviderFailure(
    "misconfigured",
    `${answered}; check the client id, the secret and the token URL of the integration.`,
    { providerError },
  );
}

function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The error's code, cut to what codes are made of: a server may echo anything there. */
function readCode(answer: AnswerFields | undefined, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = readPath(answer, path);
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && /^[A-Za-z0-9_.-]{1,64}$/.test(text)) return text.toLowerCase();
  }
  return undefined;
}

/** Milliseconds that a Retry-After asks for (seconds or a date); undefined when it says nothing usable. */
export function readRetryAfter(
  header: string | string[] | undefined,
  now: Date,
): number | undefined {
  const text = typeof header === "string" ? header.trim() : header?.[0]?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND;
  if (!/^[A-Za-z]{3}/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
