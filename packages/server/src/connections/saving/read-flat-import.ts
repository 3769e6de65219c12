import { getProvider } from "@jackfield/catalogue";
import { type FlatImport, importedCredentials } from "@jackfield/contract";
import type { Credentials } from "#auth-modes";
import type { Integration } from "#integrations";
import { AppError, addMs, SECOND } from "#platform";

/** Credentials from the body of the older `POST /connection`; throws the code of what is missing. */
export function readFlatImport(
  { provider }: Pick<Integration, "provider">,
  body: FlatImport,
  now: Date,
): Credentials {
  const mode = getProvider(provider)?.auth_mode ?? "";
  const read = readers[mode];
  if (read === undefined) {
    throw new AppError(
      "invalid_body",
      `Connections of ${provider} (${mode}) are not imported here: use POST /connections or a connect session.`,
    );
  }
  const parsed = importedCredentials.safeParse({ type: mode, ...read(body, now) });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ code, message, path }) => ({
    code: code ?? "custom",
    message,
    path: path.map(String),
  }));
  const [first] = issues;
  throw new AppError("invalid_body", `${first?.path.join(".")}: ${first?.message}`, {
    details: issues,
  });
}

type Reader = (body: FlatImport, now: Date) => Record<string, unknown>;

const readers: Readonly<Record<string, Reader>> = {
  OAUTH2: (body, now) => ({
    access_token: body.access_token || missing("missing_access_token"),
    refresh_token: body.refresh_token,
    expires_at: readExpiry(body, now),
  }),
  OAUTH2_CC: (body, now) => ({
    token: body.access_token || missing("missing_access_token"),
    client_id: body.oauth_client_id_override,
    client_secret: body.oauth_client_secret_override,
    expires_at: readExpiry(body, now),
  }),
  OAUTH1: (body) => ({
    oauth_token: body.oauth_token || missing("missing_oauth_token"),
    oauth_token_secret: body.oauth_token_secret || missing("missing_oauth_token_secret"),
  }),
  API_KEY: (body) => ({ apiKey: body.api_key || missing("missing_api_key") }),
  BASIC: (body) => ({
    username: body.username ?? missing("missing_basic_username"),
    password: body.password ?? "",
  }),
  APP: readApp,
  CUSTOM: readApp,
  TBA: (body) => {
    if (!body.connection_config?.["accountId"]) missing("missing_account_id");
    return { token_id: body.token_id, token_secret: body.token_secret };
  },
  NONE: () => ({}),
};

function readApp(body: FlatImport): Record<string, unknown> {
  return {
    app_id: body.app_id || missing("missing_app_id"),
    installation_id: body.installation_id || missing("missing_installation_id"),
  };
}

function readExpiry(body: FlatImport, now: Date): string | undefined {
  if (body.no_expiration === true) return undefined;
  if (body.expires_in !== undefined) return addMs(now, body.expires_in * SECOND).toISOString();
  if (body.expires_at === undefined) return missing("missing_expires_at");
  const date = new Date(body.expires_at);
  return Number.isNaN(date.getTime()) ? missing("invalid_expires_at") : date.toISOString();
}

type Missing = Extract<ConstructorParameters<typeof AppError>[0], `missing_${string}`>;

function missing(code: Missing | "invalid_expires_at"): never {
  throw new AppError(code);
}
