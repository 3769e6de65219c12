import * as z from "zod";
import { authorizationCode, dpopAlgorithms, tokenAuthMethods } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import type { Field } from "../schema/values.ts";
import { listReferences, type Template } from "../templates/template.ts";
import { checkOption, type EntryRules } from "./entry-rules.ts";

export const oauth2 = z.strictObject({
  ...shared,
  ...authorizationCode,
  auth_mode: z.literal("OAUTH2"),
  /** `outbound`: the provider starts the installation, and a webhook of it completes the connection. */
  installation: z.literal("outbound").optional(),
});

export const oauth2Rules: EntryRules<z.output<typeof oauth2>> = {
  credentials: ["access_token", "refresh_token"],
  check: (entry) => [
    ...(entry.installation === "outbound" && entry.webhooks === undefined
      ? ["an outbound installation is completed by a webhook: name its router in webhooks"]
      : []),
    ...checkAuthorizationCode(entry),
  ],
};

const pkceValues = ["s256", "plain", "none"];

/** Rules of every entry that sends the browser to an authorization server. */
export function checkAuthorizationCode(
  entry: Pick<
    z.output<typeof oauth2>,
    "token_auth_method" | "refresh_auth_method" | "dpop" | "pkce" | "authorization_params"
  > & { readonly integration_config: Readonly<Record<string, Field>> },
): string[] {
  const { integration_config: fields, refresh_auth_method: refresh } = entry;
  return [
    ...checkOption(fields, "token_auth_method", entry.token_auth_method, tokenAuthMethods),
    ...(refresh === undefined
      ? []
      : checkOption(fields, "refresh_auth_method", refresh, tokenAuthMethods)),
    ...checkOption(fields, "dpop", entry.dpop, dpopAlgorithms),
    ...checkOption(fields, "pkce", entry.pkce, pkceValues),
    ...Object.keys(entry.authorization_params)
      // Some vendor has a parameter of this name that is no request object; its entry says so, nobody else.
      .filter((name) => !ofEntries.has(name) && isReservedAuthorizationParam(name))
      .map((name) => `authorization_params may not set ${name}`),
    ...checkBrowserParams(entry.authorization_params),
  ];
}

/** What an entry may set, but nobody else: some servers want a nonce of any kind. */
const ofEntries = new Set(["request", "nonce"]);

/** What is sent through the browser is seen by everyone on the way. */
function checkBrowserParams(params: Readonly<Record<string, Template>>): string[] {
  return Object.entries(params).flatMap(([name, template]) =>
    listReferences(template).some((used) => used.scope === "client" && used.name !== "id")
      ? [`authorization_params.${name} shows a secret of the client to the browser`]
      : [],
  );
}

const reservedParams = new Set([
  "state",
  "redirect_uri",
  "client_id",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "nonce",
  // A request object (RFC 9101) takes the place of all parameters next to it.
  "request",
  "request_uri",
]);

/**
 * Parameters of the authorization request that only the engine sets, also in spellings that servers take for them:
 * PHP reads `redirect.uri`, `redirect uri` and `redirect_uri[]` as `redirect_uri`.
 */
export function isReservedAuthorizationParam(name: string): boolean {
  const [plain = ""] = name.trim().toLowerCase().split(/[[\0]/, 1);
  return reservedParams.has(plain.replace(/[ .]/g, "_"));
}
