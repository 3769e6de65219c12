import * as z from "zod";
import { oauth1Signing } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import { addresses, fieldName, parameters } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

export const oauth1 = z.strictObject({
  ...shared,
  ...oauth1Signing,
  auth_mode: z.literal("OAUTH1"),
  request_token_url: addresses,
  request_token_method: z.enum(["GET", "POST"]).default("POST"),
  request_params: parameters,
  authorization_url: addresses,
  authorization_params: parameters,
  /** Where the access token is fetched. */
  token_url: addresses,
  token_method: z.enum(["GET", "POST"]).default("POST"),
  capture: z
    .strictObject({
      token: z.record(fieldName, z.string().min(1)).default({}),
      callback: z.record(fieldName, z.string().min(1)).default({}),
    })
    .prefault({}),
});
export const oauth1Rules: EntryRules<z.output<typeof oauth1>> = {
  credentials: ["oauth_token", "oauth_token_secret"],
};
