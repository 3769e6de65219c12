import { createHmac, timingSafeEqual } from "node:crypto";
import { renderOptional } from "@jackfield/catalogue";
import { AuthorizationFailure, type AuthorizationFinish, type AuthSubject } from "./auth-mode.ts";
import type { CodeFlow } from "./code-flow.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { toTemplateValues } from "./template-values.ts";

/** The code of a callback; throws AuthorizationFailure when the server sent none, or is not the expected one. */
export function requireCode(
  subject: AuthSubject,
  flow: CodeFlow,
  client: OAuthClient,
  { query }: AuthorizationFinish,
): string {
  const { display_name: name } = subject.provider;
  const { code: codeName, error: errorName, hmac } = flow.callback;
  checkIssuer(subject, flow, query["iss"]);
  refuseError(name, query[errorName]);
  if (hmac !== undefined) checkHmac(query, hmac, client.secret);
  // Without a code's name, that the browser came back is the consent.
  if (codeName === "") return "";
  const code = query[codeName];
  if (code !== undefined && code !== "") return code;
  throw new AuthorizationFailure(
    "invalid_callback",
    `${name} sent the browser back without a code.`,
  );
}

/** Ends the flow when the callback tells of an error (RFC 6749 section 4.1.2.1). */
export function refuseError(provider: string, error: string | undefined): void {
  if (error === "access_denied") {
    throw new AuthorizationFailure(
      "authorization_cancelled",
      `${provider} was not allowed to give access.`,
    );
  }
  if (error === undefined) return;
  const shown = /^[A-Za-z0-9_.-]{1,64}$/.test(error) ? ` (${error})` : "";
  throw new AuthorizationFailure(
    "invalid_callback",
    `${provider} ended the authorization with an error${shown}.`,
  );
}

/** A callback of another server must not spend its code here (RFC 9207 section 2.4). */
function checkIssuer(subject: AuthSubject, { issuer }: CodeFlow, iss: string | undefined): void {
  if (issuer === undefined) return;
  const expected = renderOptional(issuer, toTemplateValues(subject));
  if (expected === undefined || expected === iss) return;
  const what = iss === undefined ? "does not name its issuer" : "comes from another issuer";
  throw new AuthorizationFailure(
    "issuer_mismatch",
    `The callback ${what}; ${expected} is the integration's issuer.`,
  );
}

function checkHmac(query: Readonly<Record<string, string>>, name: string, secret: string): void {
  const given = Buffer.from(query[name] ?? "", "utf8");
  const signed = Object.keys(query)
    .filter((key) => key !== name)
    .toSorted()
    .map((key) => `${key}=${query[key]}`)
    .join("&");
  const expected = Buffer.from(createHmac("sha256", secret).update(signed).digest("hex"), "utf8");
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new AuthorizationFailure(
    "invalid_callback",
    "The callback is not signed with the integration's client secret.",
  );
}
