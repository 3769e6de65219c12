import { type FormField, type ProviderField, toFields } from "@jackfield/ui/form-fields.ts";
import type { AnswerOf } from "../api.ts";

export type ProviderEntry = AnswerOf<"getProvider">["data"];

export interface ImportFields {
  readonly credentials: readonly FormField[];
  readonly config: readonly FormField[];
  /** Whether it may be said when the credentials expire. */
  readonly hasExpiry: boolean;
}

const secret: ProviderField = { secret: true };
const optionalSecret: ProviderField = { secret: true, optional: true };
const app = { app_id: {}, installation_id: {} };

/** What modes hold that end users do not type; other modes hold what the provider's entry asks for. */
const held = new Map<string, Readonly<Record<string, ProviderField>>>([
  ["OAUTH2", { access_token: secret, refresh_token: optionalSecret }],
  ["OAUTH1", { oauth_token: secret, oauth_token_secret: secret }],
  ["APP", app],
  ["CUSTOM", app],
  ["OAUTH2_CC", { token: optionalSecret }],
]);

const withExpiry: ReadonlySet<string> = new Set(["OAUTH2", "OAUTH2_CC"]);

/** Their tokens are bound to what only the connect page knows. */
const connectOnly: ReadonlySet<string> = new Set([
  "MCP_OAUTH2",
  "MCP_OAUTH2_GENERIC",
  "INSTALL_PLUGIN",
]);

/** The fields of a form for credentials that somebody holds; undefined where these cannot be imported. */
export function importFieldsOf(provider: ProviderEntry): ImportFields | undefined {
  const { auth_mode: mode, credentials, connection_config: config } = provider;
  if (connectOnly.has(mode)) return undefined;
  return {
    credentials: [
      ...toFields("credentials", credentials),
      ...toFields("credentials", held.get(mode) ?? {}),
    ],
    config: toFields("params", config),
    hasExpiry: withExpiry.has(mode),
  };
}

/** Where the values of the fields are in the call. */
export function pathsOfImport({ credentials, config }: ImportFields): Record<string, string> {
  const paths = (fields: readonly FormField[], part: string) =>
    fields.map(({ id, name }) => [id, `${part}.${name}`] as const);
  return Object.fromEntries([
    ...paths(credentials, "credentials"),
    ...paths(config, "connection_config"),
  ]);
}

/** What was entered. A required field is sent empty as well, so that the server says what is wrong with it. */
export function valuesOf(
  form: FormData,
  fields: readonly FormField[],
): Readonly<Record<string, string>> {
  const values = fields.map(({ id, name, required }) => {
    const value = String(form.get(id) ?? "").trim();
    return { name, value, isSent: required || value !== "" };
  });
  return Object.fromEntries(
    values.filter(({ isSent }) => isSent).map(({ name, value }) => [name, value]),
  );
}
