import * as z from "zod";
import { namedTexts } from "./fields.ts";

/** Who a connection belongs to, as older clients write it; kept as tags. */

export const endUser = z.strictObject({
  id: z.string().min(1).max(255),
  email: z.email().min(5).optional(),
  display_name: z.string().max(255).optional(),
  tags: namedTexts.optional(),
});

export type EndUser = z.output<typeof endUser>;

/** An end user as it is read back from a connection's tags. */
export const presentedEndUser = z.strictObject({
  id: z.string(),
  display_name: z.string().nullable(),
  email: z.string().nullable(),
  tags: z.null(),
  organization: z.strictObject({ id: z.string(), display_name: z.string().nullable() }).nullable(),
});
