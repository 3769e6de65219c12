import * as z from "zod";
import { revocation, tokenErrors, tokenStep } from "../schema/calls.ts";
import { signedToken } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import { fieldName } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

export const twoStep = z.strictObject({
  ...shared,
  auth_mode: z.literal("TWO_STEP"),
  /** Signed before the first call, which names it `{{assertion}}`. */
  signed_assertion: signedToken.optional(),
  /** The calls that end with a token, in their order. */
  login: z.array(tokenStep).min(1),
  /** How a refresh token is exchanged; without it the login is made again. */
  refresh: tokenStep.optional(),
  token_errors: tokenErrors,
  capture: z
    .strictObject({ token: z.record(fieldName, z.string().min(1)).default({}) })
    .prefault({}),
  revocation: revocation.optional(),
});
export const twoStepRules: EntryRules<z.output<typeof twoStep>> = {
  credentials: ["token", "refresh_token"],
};
