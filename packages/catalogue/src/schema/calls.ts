import * as z from "zod";
import {
  address,
  answerPaths,
  fieldName,
  jsonParameters,
  parameters,
  path,
  text,
} from "./values.ts";

/** Calls that the engine makes next to the proxy's: token requests, checks, and what follows a connect. */

export const bodyFormat = z.enum(["form", "json", "query", "xml"]);
export const tokenMethod = z.enum(["GET", "POST", "PUT"]);

/** Where an answer holds what the engine needs. */
export const tokenResponse = z.strictObject({
  /** Path below which the others lie, where the answer is wrapped. */
  root: z.string().optional(),
  access_token: answerPaths.prefault("access_token"),
  refresh_token: answerPaths.prefault("refresh_token"),
  expires: answerPaths.prefault(["expires_in", "expires_at"]),
  /** Unit of a number that says how long; `auto` takes seconds, and large numbers for a time since 1970. */
  expiry_unit: z.enum(["auto", "seconds", "milliseconds", "minutes"]).default("auto"),
  /** Life in seconds of a token whose answer does not say. */
  lifetime_s: z.number().int().positive().optional(),
  /** The error's code, from the answer's top. */
  error: answerPaths.prefault(["error", "error.code", "error.type", "status"]),
  /** A value from the answer's top that tells success, for servers that fail with status 200. */
  success: z.strictObject({ path: z.string().min(1), equals: z.string() }).optional(),
});
export type TokenResponse = z.output<typeof tokenResponse>;

/** Further codes of the provider, next to those of the RFCs. */
export const tokenErrors = z
  .strictObject({
    /** The authorization is gone: the end user has to connect again. */
    revoked: z.array(z.string().toLowerCase()).default([]),
    /** The integration's own settings are refused. */
    misconfigured: z.array(z.string().toLowerCase()).default([]),
    /** Asked again later, regardless of what the RFCs say of the code. */
    transient: z.array(z.string().toLowerCase()).default([]),
  })
  .prefault({});
export type TokenErrors = z.output<typeof tokenErrors>;

/** One call of a chain; `token` and `steps.<number>` hold the answers before it. */
export const tokenStep = z.strictObject({
  url: address,
  method: tokenMethod.default("POST"),
  body_format: bodyFormat.default("form"),
  /** Name of the outermost element of an XML body. */
  xml_root: z.string().default("request"),
  headers: parameters,
  params: jsonParameters,
  /** What it finds replaces what earlier answers gave. */
  response: tokenResponse.prefault({}),
});
export type TokenStep = z.output<typeof tokenStep>;

/** A value of an answer: its path, or the path within the item of a list that matches. */
const saved = z.union([
  z.string().min(1),
  z.strictObject({
    /** Path of the list; the answer itself where it is left out. */
    list: z.string().optional(),
    /** Values that the item has to have; the first item where none is given. */
    where: z.record(z.string(), text).default({}),
    path: z.string().min(1),
  }),
  /** A text made of the answer's values: `{{answer.x}}`. */
  z.strictObject({ text }),
]);
export type Saved = z.output<typeof saved>;

/** A call with the fresh credentials whose answer fills fields of connection_config. */
export const afterConnect = z.strictObject({
  request: z
    .strictObject({
      method: z.enum(["GET", "POST"]).default("GET"),
      /** Below the base URL. */
      path: path.optional(),
      url: address.optional(),
      headers: parameters,
      /** Sent as JSON. */
      body: jsonParameters.unwrap().optional(),
    })
    .refine((request) => (request.path === undefined) !== (request.url === undefined), {
      message: "a request has either a path or a url",
    }),
  save: z.record(fieldName, saved),
  /** Whether the connection is made without it. */
  optional: z.boolean().default(false),
});
export type AfterConnect = z.output<typeof afterConnect>;

const knownBy = answerPaths.optional();

/** A call with the connection's credentials whose answer says whose account it is at the provider. */
export const identity = z
  .strictObject({
    method: z.enum(["GET", "POST"]).default("GET"),
    /** Below the base URL. */
    path: path.optional(),
    url: address.optional(),
    headers: parameters,
    /** Sent as JSON. */
    body: jsonParameters.unwrap().optional(),
    /** What no other account of the provider has. */
    id: answerPaths,
    /** How people know the account: a user name, a name, the name of a workspace. */
    label: knownBy,
    email: knownBy,
    /** What the account belongs to: workspace, organization, company. */
    workspace: knownBy,
  })
  .refine((call) => (call.path === undefined) !== (call.url === undefined), {
    message: "identity has either a path or a url",
  });
export type Identity = z.output<typeof identity>;

/** A call that shows whether credentials work: any 2xx; of several paths one has to answer so. */
export const verification = z.strictObject({
  method: z.enum(["GET", "POST", "HEAD"]).default("GET"),
  path: z.union([path, z.array(path).min(1)]).transform((given) => [given].flat()),
  base_url: address.optional(),
  headers: parameters,
  /** Sent as JSON. */
  body: jsonParameters.unwrap().optional(),
});

/** How a token is withdrawn; without `url` nothing is. */
export const revocation = z.strictObject({
  url: address,
  /** `POST` with a form is RFC 7009. */
  method: z.enum(["GET", "POST", "DELETE"]).default("POST"),
  body_format: z.enum(["form", "json", "query", "none"]).default("form"),
  params: parameters,
  headers: parameters,
  /** Whether the OAuth client authenticates as at the token URL. */
  client_auth: z.boolean().default(true),
  /** Ends all that the user, or the user's organization, has given the OAuth client, and not only this token. */
  ends_grant: z.boolean().default(false),
});
export type Revocation = z.output<typeof revocation>;
