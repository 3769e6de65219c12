import * as z from "zod";
import { authorizationCode, clientRegistration } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import type { EntryRules } from "./entry-rules.ts";
import { checkAuthorizationCode } from "./oauth2.ts";

export const mcpOauth2 = z.strictObject({
  ...shared,
  ...authorizationCode,
  ...clientRegistration,
  auth_mode: z.literal("MCP_OAUTH2"),
});
export const mcpOauth2Rules: EntryRules<z.output<typeof mcpOauth2>> = {
  credentials: ["access_token", "refresh_token"],
  mayHaveMcp: true,
  check: (entry) => [
    ...checkAuthorizationCode(entry),
    ...(entry.client_registration === "dynamic" && entry.registration_url === undefined
      ? ["client_registration dynamic needs a registration_url"]
      : []),
    ...(entry.client_registration !== "dynamic" && entry.registration_url !== undefined
      ? ["registration_url is only for client_registration dynamic"]
      : []),
  ],
};
