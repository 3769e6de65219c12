import * as z from "zod";
import { shared } from "../schema/shared.ts";
import type { EntryRules } from "./entry-rules.ts";

export const none = z.strictObject({ ...shared, auth_mode: z.literal("NONE") });
export const noneRules: EntryRules<z.output<typeof none>> = { credentials: [], mayHaveMcp: true };
