import { createHmac, timingSafeEqual } from "node:crypto";
import { type AuthorizationCodeRules, renderOptional } from "@jackfield/catalogue";
import { OperationProcessingError, skipStateCheck, validateAuthResponse } from "oauth4webapi";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthorizationFinish, AuthSubject } from "../auth-mode.ts";
import { failedAs } from "../observe/provider-failure.ts";
import type { OAuthClient } from "./oauth-client.ts";

/** The code of a callback; throws ProviderFailure when the server sent none, or is not the expected one. */
export function requireCode(
  subject: AuthSubject,
  flow: AuthorizationCodeRules,
  client: OAuthClient,
  { query }: AuthorizationFinish,
): string {
  const { display_name: name } = subject.provider;
  const { code: codeName, error: errorName, hmac } = flow.callback;
  checkIssuer(subject, flow, client, query["iss"]);
  refuseError(name, query[errorName]);
  if (hmac !== undefined) checkHmac(query, hmac, client.secret);
  // Without a code's name, that the browser came back is the consent.
  if (codeName === "") return "";
  const code = query[codeName];
  if (code !== undefined && code !== "") return code;
  throw failedAs("invalid_callback", `${name} sent the browser back without a code.`);
}

/** Ends the flow when the callback tells of an error (RFC 6749 section 4.1.2.1). */
export function refuseError(provider: string, error: string | undefined): void {
  if (error === "access_denied") {
    throw failedAs("authorization_cancelled", `${provider} was not allowed to give access.`);
  }
  if (error === undefined) return;
  const shown = /^[A-Za-z0-9_.-]{1,64}$/.test(error) ? ` (${error})` : "";
  throw failedAs("invalid_callback", `${provider} ended the authorization with an error${shown}.`);
}

/** A callback of another server must not spend its code here (RFC 9207 section 2.4). */
function checkIssuer(
  subject: AuthSubject,
  { issuer }: AuthorizationCodeRules,
  client: OAuthClient,
  iss: string | undefined,
): void {
  if (issuer === undefined) return;
  const expected = renderOptional(issuer, toTemplateValues(subject));
  if (expected === undefined || isIssuedBy(expected, client, iss)) return;
  const what = iss === undefined ? "does not name its issuer" : "comes from another issuer";
  throw failedAs(
    "issuer_mismatch",
    `The callback ${what}; ${expected} is the integration's issuer.`,
  );
}

/** The rest of a callback is the entry's: its parameters may have other names than those of the RFC. */
function isIssuedBy(issuer: string, { id }: OAuthClient, iss: string | undefined): boolean {
  const server = { issuer, authorization_response_iss_parameter_supported: true };
  const parameters = new URLSearchParams(iss === undefined ? {} : { iss });
  try {
    validateAuthResponse(server, { client_id: id }, parameters, skipStateCheck);
    return true;
  } catch (error) {
    if (error instanceof OperationProcessingError) return false;
    throw error;
  }
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
  throw failedAs(
    "invalid_callback",
    "The callback is not signed with the integration's client secret.",
  );
}
