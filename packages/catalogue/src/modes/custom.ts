import * as z from "zod";
import { authorizationCode } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import { address } from "../schema/values.ts";
import { installation } from "./app.ts";
import type { EntryRules } from "./entry-rules.ts";
import { checkAuthorizationCode } from "./oauth2.ts";

/** An app's installation, made together with the end user's own OAuth 2 authorization. */
export const custom = z.strictObject({
  ...shared,
  ...authorizationCode,
  ...installation,
  /** Where the user's token lists installations: one that a browser names has to be among them. */
  user_installations: z
    .strictObject({ url: address, list: z.string(), id: z.string().default("id") })
    .optional(),
  auth_mode: z.literal("CUSTOM"),
});
export const customRules: EntryRules<z.output<typeof custom>> = {
  credentials: ["access_token"],
  config: ["installation_id", "app_id"],
  check: checkAuthorizationCode,
};
