import * as z from "zod";
import { tokenErrors } from "../schema/calls.ts";
import { shared } from "../schema/shared.ts";
import { address } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

/** A login with user, organization and developer key that ends with a session. */
export const bill = z.strictObject({
  ...shared,
  auth_mode: z.literal("BILL"),
  token_url: address,
  /** Seconds after which a session has ended. */
  lifetime_s: z.number().int().positive().default(1800),
  token_errors: tokenErrors,
});
export const billRules: EntryRules<z.output<typeof bill>> = {
  credentials: ["username", "password", "organization_id", "dev_key", "session_id", "user_id"],
  asks: ["username", "password", "organization_id", "dev_key"],
};
