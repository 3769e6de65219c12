import * as z from "zod";
import {
  bodyFormat,
  revocation,
  tokenErrors,
  tokenMethod,
  tokenResponse,
  tokenStep,
} from "./calls.ts";
import { address, addresses, jsonParameters, parameters, renames, text } from "./values.ts";

/** Values that `token_auth_method` may have, of RFC 7591 section 2 and as vendors vary them. */
export const tokenAuthMethods = [
  "client_secret_post",
  /** Id and secret form-encoded before they are joined (RFC 6749 section 2.3.1). */
  "client_secret_basic",
  /** Id and secret as they are, as many servers expect. */
  "client_secret_basic_raw",
  /** The secret as the user, with an empty password. */
  "secret_as_basic_user",
  /** Basic, and both in the body too. */
  "client_secret_basic_and_post",
  /** The id in the body, the secret in a header of `token_headers`. */
  "id_only",
  "client_secret_jwt",
  "private_key_jwt",
  /** A client certificate, and the id in the body (RFC 8705). */
  "tls_client_auth",
  /** Certificate and secret. */
  "tls_client_secret_post",
  /** A public client: its id, no secret. */
  "none",
  /** Neither; what the server wants is in `token_params` and `token_headers`. */
  "custom",
] as const;

/** Values that `dpop` may have. */
export const dpopAlgorithms = ["none", "ES256"] as const;

export const signingAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "HS256",
  "HS384",
  "HS512",
  "EdDSA",
] as const;

const algorithm = z.enum(signingAlgorithms);

/** A JWT that is signed here; `iat` and `exp` are set. */
export const signedToken = z.strictObject({
  alg: algorithm,
  key: text,
  /** Of a key for HS256 and its like. */
  key_encoding: z.enum(["utf8", "hex", "base64"]).default("utf8"),
  lifetime_s: z.number().int().positive(),
  /** How far back `iat` is set, for servers whose clock is behind. */
  backdate_s: z.number().int().nonnegative().default(0),
  header: jsonParameters,
  claims: jsonParameters,
});
export type SignedToken = z.output<typeof signedToken>;

/** RFC 7523 section 3: what the client signs where it authenticates by a JWT. */
const clientAssertion = z.strictObject({
  /** RS256, with a client secret HS256, unless set. */
  alg: algorithm.optional(),
  /** The token URL unless set. */
  audience: text.optional(),
  lifetime_s: z.number().int().positive().max(300).default(300),
  header: jsonParameters,
  claims: jsonParameters,
});

/** The token request of an OAuth 2 client. Options written as templates may be left to the integration. */
export const tokenRequest = {
  token_url: addresses,
  /** One of `tokenAuthMethods`. */
  token_auth_method: text.prefault("client_secret_post"),
  client_assertion: clientAssertion.prefault({}),
  /** `none`, or `ES256`: tokens are bound to a key of the connection (RFC 9449). */
  dpop: text.prefault("none"),
  token_method: tokenMethod.default("POST"),
  body_format: bodyFormat.default("form"),
  /** Name of the outermost element of an XML body. */
  xml_root: z.string().default("request"),
  token_params: parameters,
  token_headers: parameters,
  token_rename: renames,
  token_response: tokenResponse.prefault({}),
  token_errors: tokenErrors,
  /** Calls after the token request, each with the answers before it. */
  exchange: z.array(tokenStep).default([]),
  scope_separator: text.prefault(" "),
  revocation: revocation.optional(),
} as const;

/** As a field's name, or the dotted path itself where others know the value under it. */
const capturedName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]*$/);

/** Fields of connection_config taken from the token answer (dotted path or header) or the callback's query. */
export const capture = z
  .strictObject({
    token: z.record(capturedName, z.string().min(1)).default({}),
    callback: z.record(capturedName, z.string().min(1)).default({}),
  })
  .prefault({});

/** The callback's parameters, where they have other names. */
const callback = z
  .strictObject({
    /** An empty name: the callback brings no code, and its coming is the consent. */
    code: z.string().default("code"),
    state: z.string().min(1).default("state"),
    error: z.string().min(1).default("error"),
    /** Hex HMAC-SHA256 with the client secret over the other parameters, sorted (as Shopify signs). */
    hmac: z.string().optional(),
  })
  .prefault({});

/** The way through the authorization server (RFC 6749 section 4.1) and what renews its tokens. */
export const authorizationCode = {
  ...tokenRequest,
  authorization_url: addresses,
  authorization_params: parameters,
  /** Where the request's parameters are handed in beforehand (RFC 9126). */
  pushed_authorization_url: address.optional(),
  authorization_rename: renames,
  /** Parameters, by their sent name, that are written into the address as they are. */
  authorization_unencoded: z.array(z.string()).default([]),
  /** A fragment's path, for servers whose page reads the request from the fragment. */
  authorization_fragment: z.string().optional(),
  /** Scopes requested next to the integration's, such as one for refresh tokens. */
  required_scopes: z.array(z.string()).default([]),
  /** Name of a second scope parameter, for scopes of the user. */
  user_scope_parameter: z.string().optional(),
  /** `s256`, `plain` or `none`. */
  pkce: text.prefault("s256"),
  /** Checked against `iss` of the callback (RFC 9207). */
  issuer: text.optional(),
  callback,
  refresh_url: addresses.optional(),
  refresh_params: parameters,
  /** Instead of the token request's, where they differ. */
  refresh_method: tokenMethod.optional(),
  refresh_body_format: bodyFormat.optional(),
  refresh_headers: parameters.optional(),
  refresh_rename: renames.optional(),
  refresh_auth_method: text.optional(),
  refresh_response: tokenResponse.optional(),
  /** What is exchanged for new tokens: where there is no refresh token, the access token itself. */
  refresh_with: z.enum(["refresh_token", "access_token"]).default("refresh_token"),
  capture,
} as const;

const authorizationCodeRules = z.strictObject(authorizationCode);
/** What the code flow takes from an entry, in every mode. */
export type AuthorizationCodeRules = z.output<typeof authorizationCodeRules>;

/** OAuth 1.0a (RFC 5849). */
export const oauth1Signing = {
  signature_method: z
    .enum(["HMAC-SHA1", "HMAC-SHA256", "RSA-SHA1", "PLAINTEXT"])
    .default("HMAC-SHA1"),
  /** Value of `realm` in the Authorization header. */
  realm: text.optional(),
} as const;

export const clientRegistration = {
  /** `static`: the integration's client; `dynamic`: RFC 7591; `cimd`: a metadata document's address is the id. */
  client_registration: z.enum(["static", "dynamic", "cimd"]).default("static"),
  registration_url: address.optional(),
  registration_params: jsonParameters,
  /** Whether the base URL travels as `resource` (RFC 8707). */
  resource: z.boolean().default(true),
} as const;
