import {
  compileTemplate,
  findHeaderFault,
  listReferences,
  type ProviderOf,
  renderTemplate,
  type Template,
  TemplateError,
} from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthMode, ConfigFault, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { refuseMissing } from "../flat-import.ts";
import { readEntryFields, refuseUnknown, requireText, requireType } from "../read-credentials.ts";
import { verifyCredentials } from "../verify-credentials.ts";

type Key = ProviderOf<"API_KEY">["api_key"][number];

/** A key, or several, in headers, query, body or path, in the form that the entry or the integration gives. */
export const apiKey: AuthMode = defineAuthMode("API_KEY", {
  fields: { apiKey: { title: "API key", secret: true } },
  secrets: ["apiKey"],
  checkConfig(provider, integrationConfig) {
    return provider.api_key.flatMap((key) => [
      ...checkName(key, integrationConfig),
      ...checkValue(key, integrationConfig),
    ]);
  },
  fromFlat: (body) => ({ apiKey: body.api_key || refuseMissing("missing_api_key") }),

  async accept(subject, given, tools) {
    requireType(given, "API_KEY");
    refuseUnknown(subject, given, ["apiKey"]);
    const credentials = {
      type: "API_KEY",
      apiKey: requireText(given, "apiKey"),
      ...readEntryFields(subject, given, ["apiKey"]),
    };
    await verifyCredentials(apiKey, subject, credentials, tools);
    return { credentials, expiresAt: undefined, capturedConfig: {} };
  },
  apply(subject, credentials, request) {
    const { provider } = subject;
    const values = toTemplateValues(subject, credentials);
    for (const key of provider.api_key) {
      const name = renderTemplate(key.name, values);
      const value = renderTemplate(findValueTemplate(key, subject), values);
      const placement = renderTemplate(key.placement, values);
      if (placement === "query") request.query.set(name, value);
      else if (placement === "body") request.bodyFields.set(name, value);
      else if (placement === "path") request.pathSegments.push(value);
      else request.headers.set(name.toLowerCase(), value);
    }
  },
  readsBody({ provider, integrationConfig }) {
    return provider.api_key.some(
      ({ placement }) => renderTemplate(placement, { integration: integrationConfig }) === "body",
    );
  },
});

function findValueTemplate({ value }: Key, subject: SubjectOf<"API_KEY">): Template {
  if (!("integration_field" in value)) return value;
  return compileTemplate(subject.integrationConfig[value.integration_field] ?? "");
}

function checkName(key: Key, integration: Readonly<Record<string, string>>): ConfigFault[] {
  const [reference] = listReferences(key.name);
  const name = reference === undefined ? undefined : integration[reference.name];
  if (reference === undefined || name === undefined) return [];
  if (renderTemplate(key.placement, { integration }) !== "header") return [];
  if (findHeaderFault(name) === undefined) return [];
  return [{ field: reference.name, message: "is not the name of a header that can hold a key" }];
}

function checkValue({ value }: Key, integration: Readonly<Record<string, string>>): ConfigFault[] {
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
