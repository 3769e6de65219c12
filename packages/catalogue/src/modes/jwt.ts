import * as z from "zod";
import { signedToken } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import type { EntryRules } from "./entry-rules.ts";

export const jwt = z.strictObject({
  ...shared,
  auth_mode: z.literal("JWT"),
  /** The token, signed here with a key of the connection. */
  signed_token: signedToken,
});
export const jwtRules: EntryRules<z.output<typeof jwt>> = { credentials: ["token"] };
