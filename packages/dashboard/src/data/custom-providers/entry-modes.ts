/** An entry of a provider, in the schema of the catalogue, as a form reads and writes it by dotted paths. */
export type Entry = Readonly<Record<string, unknown>>;

export interface EntryField {
  /** Where the entry has the value, such as `api_key.name`. */
  readonly path: FieldPath;
  /** `lines`: a list of texts. */
  readonly kind: "text" | "lines" | "choice";
  readonly choices?: readonly string[];
  readonly isOptional?: true;
}

export type FieldPath =
  | "display_name"
  | "id"
  | "categories.0"
  | "docs"
  | "base_url"
  | "api_key.placement"
  | "api_key.name"
  | "api_key.value"
  | "credentials.apiKey.description"
  | "authorization_url"
  | "token_url"
  | "required_scopes"
  | "pkce"
  | "token_auth_method"
  | "scopes"
  | "verification.path";

/** Auth modes whose entries the form knows; others are written as JSON. */
export const formModes = ["API_KEY", "BASIC", "OAUTH2", "OAUTH2_CC", "NONE"] as const;
export const firstMode = "API_KEY";
export type FormMode = (typeof formModes)[number];

const tokenAuthMethod: EntryField = {
  path: "token_auth_method",
  kind: "choice",
  choices: ["client_secret_post", "client_secret_basic", "none"],
};

export const fieldsOfMode: Readonly<Record<FormMode, readonly EntryField[]>> = {
  API_KEY: [
    { path: "api_key.placement", kind: "choice", choices: ["header", "query"] },
    { path: "api_key.name", kind: "text" },
    { path: "api_key.value", kind: "text" },
    { path: "credentials.apiKey.description", kind: "text", isOptional: true },
  ],
  BASIC: [],
  OAUTH2: [
    { path: "authorization_url", kind: "text" },
    { path: "token_url", kind: "text" },
    { path: "required_scopes", kind: "lines", isOptional: true },
    { path: "pkce", kind: "choice", choices: ["s256", "plain", "none"] },
    tokenAuthMethod,
  ],
  OAUTH2_CC: [
    { path: "token_url", kind: "text" },
    { path: "scopes", kind: "text", isOptional: true },
    tokenAuthMethod,
  ],
  NONE: [],
};

/** What an entry of a mode has before anything is entered. */
export const beginningOfMode: Readonly<Record<FormMode, Entry>> = {
  API_KEY: {
    api_key: {
      placement: "header",
      name: "authorization",
      value: "Bearer {{credentials.apiKey}}",
    },
    credentials: { apiKey: { title: "API key", secret: true } },
  },
  BASIC: {},
  OAUTH2: { pkce: "s256", token_auth_method: "client_secret_post" },
  OAUTH2_CC: { token_auth_method: "client_secret_post" },
  NONE: {},
};

export function isFormMode(mode: unknown): mode is FormMode {
  return formModes.some((known) => known === mode);
}
