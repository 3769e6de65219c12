import * as z from "zod";
import { compileTemplate, compileUrlTemplate, type Template, TemplateError } from "./template.ts";

/** What a provider file may say. Unknown keys are refused, so that a typo is not silently ignored. */

function compiled(compile: (text: string) => Template) {
  return z.string().transform((text, ctx) => {
    try {
      return compile(text);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      ctx.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });
}

const text = compiled(compileTemplate);
const address = compiled(compileUrlTemplate);

/** Options of the engine may be left to the integration's configuration. */
const option = text;

const fieldName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** One value that is asked of whoever configures an integration or makes a connection. */
const field = z.strictObject({
  title: text,
  description: z.string().optional(),
  optional: z.boolean().default(false),
  /** `base_url`: an address without query; `template`: text with placeholders of the credentials. */
  format: z.enum(["uri", "base_url", "hostname", "template"]).optional(),
  enum: z.array(z.string()).min(1).optional(),
  default: z.string().optional(),
  example: z.string().optional(),
  secret: z.boolean().default(false),
  /** Filled by the platform, not asked. */
  automated: z.boolean().default(false),
});
export type Field = z.output<typeof field>;

const fields = z.record(fieldName, field).default({});

/** Parameters and headers: one whose template names an optional value that was not given is left out. */
const parameters = z.record(z.string().min(1), text).default({});

const verification = z.strictObject({
  method: z.enum(["GET", "POST", "HEAD"]).default("GET"),
  path: z.string().startsWith("/"),
});

const retry = z.strictObject({
  /** Header with seconds to wait. */
  after_header: z.string().toLowerCase().optional(),
  /** Header with the time to wait for: seconds or milliseconds since 1970, or a date. */
  at_header: z.string().toLowerCase().optional(),
  /** Header whose value 0 says that the quota is used up. */
  remaining_header: z.string().toLowerCase().optional(),
  /** Statuses worth another attempt, instead of the defaults: `429`, `5xx`. */
  statuses: z.array(z.string().regex(/^\d(\d\d|xx)$/)).optional(),
});
export type RetryHints = z.output<typeof retry>;

const pagination = z.strictObject({
  type: z.enum(["cursor", "link", "offset"]),
  cursor_path_in_response: z.string().optional(),
  cursor_name_in_request: z.string().optional(),
  link_rel_in_response_header: z.string().optional(),
  offset_name_in_request: z.string().optional(),
  limit_name_in_request: z.string().optional(),
  response_path: z.string().optional(),
});

const shared = {
  id: z.string().regex(/^[a-zA-Z0-9_-]{1,255}$/),
  display_name: z.string().min(1),
  categories: z.array(z.string().regex(/^[a-z-]+$/)).min(1),
  docs: z.url({ protocol: /^https$/ }).optional(),
  /** Where the facts of this entry come from. */
  sources: z.array(z.url({ protocol: /^https$/ })).default([]),
  base_url: address.optional(),
  /** Sent unless the caller sends a header of that name. */
  headers: parameters,
  verification: verification.optional(),
  retry: retry.optional(),
  pagination: pagination.optional(),
  connection_config: fields,
  credentials: fields,
  integration_config: fields,
} as const;

const tokenRequest = {
  token_url: address,
  /** One of `client_secret_basic`, `client_secret_post`, `none` (RFC 7591 section 2). */
  token_auth_method: option.prefault("client_secret_post"),
  /** `form` or `json`. */
  body_format: z.enum(["form", "json"]).default("form"),
  scope_separator: option.prefault(" "),
  token_params: parameters,
} as const;

const oauth2 = z.strictObject({
  ...shared,
  ...tokenRequest,
  auth_mode: z.literal("OAUTH2"),
  authorization_url: address,
  authorization_params: parameters,
  refresh_url: address.optional(),
  refresh_params: parameters,
  /** `s256` or `none`. */
  pkce: option.prefault("s256"),
  /** Checked against `iss` of the callback (RFC 9207). */
  issuer: text.optional(),
  /** Fields of connection_config taken from the token answer (dotted path) or the callback's query. */
  capture: z
    .strictObject({
      token: z.record(fieldName, z.string().min(1)).default({}),
      callback: z.record(fieldName, z.string().min(1)).default({}),
    })
    .prefault({}),
});

const oauth2ClientCredentials = z.strictObject({
  ...shared,
  ...tokenRequest,
  auth_mode: z.literal("OAUTH2_CC"),
  /** Comma-separated. */
  scopes: text.optional(),
});

const apiKey = z.strictObject({
  ...shared,
  auth_mode: z.literal("API_KEY"),
  api_key: z.strictObject({
    /** `header` or `query`. */
    placement: option,
    name: text,
    /** The header's or parameter's value, or the field of integration_config whose text is its template. */
    value: z.union([text, z.strictObject({ integration_field: fieldName })]),
  }),
});

const basic = z.strictObject({ ...shared, auth_mode: z.literal("BASIC") });

const none = z.strictObject({ ...shared, auth_mode: z.literal("NONE") });

/** One provider as the engine uses it: an entry with compiled templates. */
export const provider = z.discriminatedUnion("auth_mode", [
  oauth2,
  oauth2ClientCredentials,
  apiKey,
  basic,
  none,
]);
export type Provider = z.output<typeof provider>;

export type AuthModeId = Provider["auth_mode"];
export type ProviderOf<Mode extends AuthModeId> = Extract<Provider, { auth_mode: Mode }>;

/** One file: a product family, whose variants are the providers; `shared` holds what they have in common. */
export const family = z.strictObject({
  family: z.string().regex(/^[a-z0-9-]+$/),
  shared: z.record(z.string(), z.unknown()).default({}),
  variants: z.array(z.record(z.string(), z.unknown())).min(1),
});
