import * as z from "zod";
import { shared } from "../schema/shared.ts";
import { text } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

/** Requests signed with temporary keys of a role (AWS Signature Version 4). */
export const awsSigV4 = z.strictObject({
  ...shared,
  auth_mode: z.literal("AWS_SIGV4"),
  service: text,
  region: text,
  sts: z.strictObject({
    url: text,
    /** The integration's own keys, with which the role is assumed. */
    access_key_id: text,
    secret_access_key: text,
    external_id: text.optional(),
    duration_s: z.number().int().min(900).max(43_200).default(3600),
  }),
});
export const awsSigV4Rules: EntryRules<z.output<typeof awsSigV4>> = {
  credentials: ["role_arn", "region"],
  asks: ["role_arn"],
};
