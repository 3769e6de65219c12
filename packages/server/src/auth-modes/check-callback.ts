import { type ProviderOf, renderOptional } from "@jackfield/catalogue";
import { AuthorizationFailure, type AuthorizationFinish, type AuthSubject } from "./auth-mode.ts";
import { toTemplateValues } from "./template-values.ts";

/** The code of a callback; throws AuthorizationFailure when the server sent none, or is not the expected one. */
export function requireCode(
  subject: AuthSubject,
  provider: ProviderOf<"OAUTH2">,
  { query }: AuthorizationFinish,
): string {
  checkIssuer(subject, provider, query["iss"]);
  const error = query["error"];
  if (error === "access_denied") {
    throw new AuthorizationFailure(
      "authorization_cancelled",
      `${provider.display_name} was not allowed to give access.`,
    );
  }
  if (error !== undefined) {
    const shown = /^[A-Za-z0-9_.-]{1,64}$/.test(error) ? ` (${error})` : "";
    throw new AuthorizationFailure(
      "invalid_callback",
      `${provider.display_name} ended the authorization with an error${shown}.`,
    );
  }
  const code = query["code"];
  if (code !== undefined && code !== "") return code;
  throw new AuthorizationFailure(
    "invalid_callback",
    `${provider.display_name} sent the browser back without a code.`,
  );
}

/** A callback of another server must not spend its code here (RFC 9207 section 2.4). */
function checkIssuer(
  subject: AuthSubject,
  provider: ProviderOf<"OAUTH2">,
  iss: string | undefined,
): void {
  if (provider.issuer === undefined) return;
  const expected = renderOptional(provider.issuer, toTemplateValues(subject));
  if (expected === undefined || expected === iss) return;
  const what = iss === undefined ? "does not name its issuer" : "comes from another issuer";
  throw new AuthorizationFailure(
    "issuer_mismatch",
    `The callback ${what}; ${expected} is the integration's issuer.`,
  );
}
