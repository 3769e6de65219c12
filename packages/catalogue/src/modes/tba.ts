import * as z from "zod";
import { oauth1Signing } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import type { EntryRules } from "./entry-rules.ts";

/** Tokens that the end user makes in the provider's own pages, used as in OAuth 1. */
export const tba = z.strictObject({ ...shared, ...oauth1Signing, auth_mode: z.literal("TBA") });
export const tbaRules: EntryRules<z.output<typeof tba>> = {
  asks: ["token_id", "token_secret"],
  credentials: ["token_id", "token_secret"],
};
