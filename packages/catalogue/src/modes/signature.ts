import * as z from "zod";
import { shared } from "../schema/shared.ts";
import type { EntryRules } from "./entry-rules.ts";

/** WSSE UsernameToken, made again before it ages out. */
export const signature = z.strictObject({
  ...shared,
  auth_mode: z.literal("SIGNATURE"),
  signature: z
    .strictObject({
      protocol: z.literal("WSSE"),
      /** What is encoded in base64: the digest's bytes, as the standard says, or their hex text. */
      digest: z.enum(["raw", "hex"]).default("raw"),
      lifetime_s: z.number().int().positive().default(300),
    })
    .prefault({ protocol: "WSSE" }),
});
export const signatureRules: EntryRules<z.output<typeof signature>> = {
  credentials: ["username", "password", "token"],
  asks: ["username", "password"],
};
