import assert from "node:assert";
import {
  compileTemplate,
  listReferences,
  type ProviderOf,
  renderTemplate,
  type Template,
  TemplateError,
} from "@jackfield/catalogue";
import { AppError } from "#platform";
import type { AuthMode, AuthSubject, ConfigFault } from "../auth-mode.ts";
import { requireText, requireType } from "../read-credentials.ts";
import { toTemplateValues } from "../template-values.ts";
import { verifyCredentials } from "../verify-credentials.ts";

/** A key in a header or in the query, in the form that the entry or the integration gives. */
export const apiKey: AuthMode = {
  id: "API_KEY",
  checkConfig(provider, integrationConfig) {
    assert(provider.auth_mode === "API_KEY");
    return [...checkName(provider, integrationConfig), ...checkValue(provider, integrationConfig)];
  },
  async accept(subject, given, tools) {
    requireType(given, "API_KEY");
    const credentials = { type: "API_KEY", apiKey: requireText(given, "apiKey") };
    await verifyCredentials(apiKey, subject, credentials, tools);
    return { credentials, expiresAt: undefined, capturedConfig: {} };
  },
  apply(subject, credentials, request) {
    const { provider } = subject;
    assert(provider.auth_mode === "API_KEY");
    const values = toTemplateValues(subject, credentials);
    const name = render(provider.api_key.name);
    const value = render(findValueTemplate(provider, subject));
    if (render(provider.api_key.placement) === "query") request.query.set(name, value);
    else request.headers.set(name.toLowerCase(), value);

    function render(template: Template): string {
      try {
        return renderTemplate(template, values);
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        const message = `The key cannot be put into the request: ${error.message}.`;
        throw new AppError("integration_misconfigured", message, { cause: error });
      }
    }
  },
};

function findValueTemplate(provider: ProviderOf<"API_KEY">, subject: AuthSubject): Template {
  const { value } = provider.api_key;
  if (!("integration_field" in value)) return value;
  return compileTemplate(subject.integrationConfig[value.integration_field] ?? "");
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$/;

// Headers that frame or route the message; a key in one of them would break the request.
const framingHeaders =
  /^(host|content-length|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive)$/i;

function checkName(
  provider: ProviderOf<"API_KEY">,
  integration: Readonly<Record<string, string>>,
): ConfigFault[] {
  const [reference] = listReferences(provider.api_key.name);
  const name = reference === undefined ? undefined : integration[reference.name];
  if (reference === undefined || name === undefined) return [];
  if (renderTemplate(provider.api_key.placement, { integration }) === "query") return [];
  if (headerName.test(name) && !framingHeaders.test(name)) return [];
  return [{ field: reference.name, message: "is not the name of a header that can hold a key" }];
}

function checkValue(
  provider: ProviderOf<"API_KEY">,
  integration: Readonly<Record<string, string>>,
): ConfigFault[] {
  const { value } = provider.api_key;
  if (!("integration_field" in value)) return [];
  const field = value.integration_field;
  try {
    const references = listReferences(compileTemplate(integration[field] ?? ""));
    const known = references.every(
      ({ scope, name }) => scope === "credentials" && name === "apiKey",
    );
    if (known && references.length > 0) return [];
    return [{ field, message: "needs {{credentials.apiKey}}, and no other placeholder" }];
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return [{ field, message: error.message }];
  }
}
