import * as z from "zod";
import { shared } from "../schema/shared.ts";
import { text } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

export const basic = z.strictObject({
  ...shared,
  auth_mode: z.literal("BASIC"),
  /** What is sent as user and password, where a part of it is fixed. */
  basic: z
    .strictObject({
      username: text.prefault("{{credentials.username}}"),
      password: text.prefault("{{credentials.password}}"),
    })
    .prefault({}),
});
export const basicRules: EntryRules<z.output<typeof basic>> = {
  asks: ["username", "password"],
  credentials: ["username", "password"],
};
