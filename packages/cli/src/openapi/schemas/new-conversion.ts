import type { OpenApiDocument } from "@jackfield/functions/openapi";
import type { Conversion } from "./conversion.ts";
import { toZod } from "./to-zod.ts";

// Tools of language models cost tokens: answers are described less deeply than what is asked for.
const bounds = {
  input: { depths: [8, 5, 3, 2], left: 1200 },
  output: { depths: [4, 3, 2, 1], left: 300 },
} as const;

/** As deep as there is room for: all of a flat schema, the upper levels of one that continues. */
export function convertWithin<Converted>(
  document: OpenApiDocument,
  direction: Conversion["direction"],
  convert: (c: Conversion) => Converted,
): { converted: Converted; notes: ReadonlySet<string> } {
  const { depths, left } = bounds[direction];
  for (let index = 0; ; index += 1) {
    const deepest = depths[index] ?? 0;
    const c = { document, direction, deepest, left, notes: new Set<string>(), convert: toZod };
    const converted = convert(c);
    if (c.left > 0 || index === depths.length - 1) return { converted, notes: c.notes };
  }
}
