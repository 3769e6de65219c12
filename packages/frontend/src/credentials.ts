/** Credentials that an end user typed in, by the provider's auth mode. */
export type Credentials =
  | { readonly apiKey: string }
  | { readonly username: string; readonly password: string }
  | {
      readonly token_id: string;
      readonly token_secret: string;
      readonly oauth_client_id_override?: string;
      readonly oauth_client_secret_override?: string;
    }
  | {
      readonly client_id: string;
      readonly client_secret?: string;
      readonly client_private_key?: string;
      readonly client_certificate?: string;
    }
  | {
      readonly username: string;
      readonly password: string;
      readonly organization_id: string;
      readonly dev_key: string;
    }
  | { readonly privateKey: string; readonly [field: string]: unknown }
  | { readonly type: "SIGNATURE"; readonly username: string; readonly password: string }
  | { readonly type: "AWS_SIGV4"; readonly role_arn: string; readonly region?: string }
  | { readonly type: AuthModeWithForm; readonly [field: string]: unknown }
  | OAuthClientOverride;

/** Where the server takes credentials, by the auth mode that they are for. */
const routes = {
  API_KEY: "/api-auth/api-key",
  BASIC: "/api-auth/basic",
  OAUTH2_CC: "/oauth2/auth",
  TBA: "/auth/tba",
  JWT: "/auth/jwt",
  TWO_STEP: "/auth/two-step",
  SIGNATURE: "/auth/signature",
  BILL: "/auth/bill",
  AWS_SIGV4: "/auth/aws-sigv4",
  NONE: "/auth/unauthenticated",
} as const;

/** An auth mode whose credentials an end user types in; any of them may be named by `type`. */
export type AuthModeWithForm = keyof typeof routes;

/** An OAuth client of the end user's own, used instead of the integration's. */
export interface OAuthClientOverride {
  readonly oauth_client_id_override?: string;
  readonly oauth_client_secret_override?: string;
  readonly oauth_refresh_token_override?: string;
}

/** How credentials reach the server. */
export type Way =
  | { readonly kind: "browser"; readonly override: OAuthClientOverride }
  | { readonly kind: "post"; readonly path: string; readonly body: Record<string, unknown> }
  | { readonly kind: "unknown" };

/** Chooses the route by the shape of the credentials; none means the provider's own pages. */
export function chooseWay(credentials: Credentials | undefined): Way {
  const fields: Record<string, unknown> = { ...credentials };
  const has = (...names: string[]): boolean => names.every((name) => fields[name] !== undefined);
  const { type, ...untyped } = fields;
  if (hasForm(type)) return post(type, untyped);
  if (has("organization_id", "dev_key")) return post("BILL", untyped);
  if (has("apiKey")) return post("API_KEY", untyped);
  if (has("username", "password")) return post("BASIC", untyped);
  if (has("privateKey")) return post("JWT", untyped);
  if (has("token_id", "token_secret")) return post("TBA", untyped);
  if (has("client_id") && (has("client_secret") || has("client_private_key"))) {
    return post("OAUTH2_CC", untyped);
  }
  return toBrowserWay(untyped);
}

const overrides: ReadonlySet<string> = new Set([
  "oauth_client_id_override",
  "oauth_client_secret_override",
  "oauth_refresh_token_override",
]);

function toBrowserWay(fields: Record<string, unknown>): Way {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) return { kind: "browser", override: {} };
  const isOverride = given.every(
    ([name, value]) => overrides.has(name) && typeof value === "string",
  );
  const hasClient = ["oauth_client_id_override", "oauth_client_secret_override"].every(
    (name) => fields[name] !== undefined,
  );
  if (!isOverride || !hasClient) return { kind: "unknown" };
  return { kind: "browser", override: Object.fromEntries(given) };
}

function hasForm(type: unknown): type is AuthModeWithForm {
  return typeof type === "string" && Object.hasOwn(routes, type);
}

function post(mode: AuthModeWithForm, fields: Record<string, unknown>): Way {
  // Both are part of the shape, also where the provider wants one of them empty.
  const body = mode === "BASIC" ? { username: "", password: "", ...fields } : fields;
  return { kind: "post", path: routes[mode], body };
}
