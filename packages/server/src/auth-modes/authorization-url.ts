import { createHash } from "node:crypto";
import {
  isReservedAuthorizationParam,
  type ProviderOf,
  renderOptional,
  renderTemplate,
  TemplateError,
} from "@jackfield/catalogue";
import { AppError } from "#platform";
import type { AuthorizationStart, AuthSubject } from "./auth-mode.ts";
import { toTemplateValues } from "./template-values.ts";

/** The address of the authorization request (RFC 6749 section 4.1.1, RFC 7636). */
export function toAuthorizationUrl(
  subject: AuthSubject,
  provider: ProviderOf<"OAUTH2">,
  clientId: string,
  start: AuthorizationStart,
): string {
  const values = toTemplateValues(subject);
  try {
    const url = new URL(renderTemplate(provider.authorization_url, values));
    const scopes = start.scopesOverride ?? subject.integrationCredentials?.scopes ?? "";
    const separator = renderTemplate(provider.scope_separator, values);
    for (const [name, template] of Object.entries(provider.authorization_params)) {
      const value = renderOptional(template, values);
      if (value !== undefined) url.searchParams.set(name, value);
    }
    for (const [name, value] of Object.entries(start.authorizationParams)) {
      refuseReserved(name);
      url.searchParams.set(name, value);
    }
    const own = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: start.redirectUri,
      state: start.state,
      ...(scopes === "" ? {} : { scope: scopes.split(",").join(separator) }),
      ...(renderTemplate(provider.pkce, values) === "none" ? {} : toChallenge(start.codeVerifier)),
    };
    for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value);
    return url.href;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const message = `The authorization address cannot be built: ${error.message}; check the integration's configuration.`;
    throw new AppError("integration_misconfigured", message, { cause: error });
  }
}

function refuseReserved(name: string): void {
  if (!isReservedAuthorizationParam(name)) return;
  const message = `authorization_params may not set ${name}: the platform sets it.`;
  throw new AppError("invalid_query_params", message, {
    details: [{ code: "custom", message, path: ["authorization_params", name] }],
  });
}

function toChallenge(verifier: string): Record<string, string> {
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return { code_challenge: challenge, code_challenge_method: "S256" };
}
