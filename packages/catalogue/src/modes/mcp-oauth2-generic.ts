import * as z from "zod";
import { authorizationCode } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import { addresses, text } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

/** Any MCP server: its authorization server is discovered (RFC 9728, RFC 8414). */
export const mcpOauth2Generic = z.strictObject({
  ...shared,
  ...authorizationCode,
  authorization_url: addresses.default([]),
  token_url: addresses.default([]),
  auth_mode: z.literal("MCP_OAUTH2_GENERIC"),
  server_url: text.prefault("{{config.mcp_server_url}}"),
});
export const mcpOauth2GenericRules: EntryRules<z.output<typeof mcpOauth2Generic>> = {
  credentials: ["access_token", "refresh_token"],
  mayHaveMcp: true,
  isGeneric: true,
};
