import * as z from "zod";

/** Given once, several times, or as a list with commas. */
export function listOf<Item extends z.ZodType<string | number, string>>(item: Item) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(",")))
    .pipe(z.array(item).min(1).max(20))
    .optional();
}

/** A kind of operations to filter by. */
export const operationKind = z.string().regex(/^[a-z]+(:[a-z_]+)?$/, "is `type` or `type:action`");
