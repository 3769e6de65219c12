import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { EnvironmentContext } from "#foundation";
import { toolFailure } from "../tool-failure.ts";
import { readPointer, takeFitting } from "./cut-result.ts";
import { describeShape } from "./describe-shape.ts";
import { fitsResult, PIECE_BYTES } from "./present-result.ts";
import { findStoredResult, type ResultReader } from "./tool-results.ts";

const where = z.strictObject({
  path: z.string().max(500).describe("JSON pointer within an item, such as /name"),
  op: z.enum(["==", "contains", "<", ">"]),
  value: z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]),
});

const input = z.strictObject({
  handle: z.string().max(100).describe("The result's handle, res_…"),
  path: z.string().max(500).default("").describe("JSON pointer to a part, such as /contacts"),
  where: z.array(where).max(10).default([]).describe("Only items of a list that meet all of these"),
  offset: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(0)
    .describe("Items, or characters of a text, to skip"),
  limit: z.int().min(1).max(10_000).optional().describe("Items at most"),
});

/** The tool by which a model reads what was too long to be handed over at once. */
export const readResultTool = {
  description: "Reads a part of a long result by its handle.",
  inputSchema: slim(z.toJSONSchema(input, { io: "input" })),
  annotations: { title: "Read a stored result", readOnlyHint: true, openWorldHint: false },
};

function slim({ $schema: _, ...schema }: Record<string, unknown>) {
  return { ...schema, type: "object" as const };
}

/** A piece of a stored result, always within the limit. */
export async function readResult(
  ctx: EnvironmentContext,
  reader: ResultReader,
  given: unknown,
): Promise<CallToolResult> {
  const parsed = input.safeParse(given ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `${issue?.path.join(".") || "the input"}: ${issue?.message}`;
    return toolFailure({
      code: "invalid_input",
      message,
      next: "Correct the input and call again.",
    });
  }
  const { handle, path, offset, limit } = parsed.data;
  const stored = await findStoredResult(ctx, reader, handle);
  if (stored === undefined) {
    return toolFailure({
      code: "not_found",
      message: `There is no result "${handle}" for this caller, or its hour is over.`,
      next: "Call the tool again that gave the handle, if that changes nothing.",
    });
  }
  const part = readPointer(stored, path);
  if (part === undefined) {
    return toolFailure({
      code: "not_found",
      message: `The result has nothing at "${path}".`,
      next: `Choose a path within ${describeShape(stored)}`,
    });
  }
  return {
    content: [{ type: "text", text: JSON.stringify(cut(part, parsed.data, offset, limit)) }],
  };
}

function cut(
  part: unknown,
  { where }: z.output<typeof input>,
  offset: number,
  limit: number | undefined,
) {
  if (Array.isArray(part)) {
    const matches = part.filter((item) => where.every((rule) => meets(item, rule)));
    const asked = matches.slice(offset, limit === undefined ? undefined : offset + limit);
    const items = takeFitting(asked, PIECE_BYTES);
    const end = offset + items.length;
    const [first] = asked;
    // One item alone may be longer than the limit.
    const tooLong = items.length === 0 && first !== undefined ? { type: describeShape(first) } : {};
    return {
      total: matches.length,
      items,
      ...(end < matches.length ? { next_offset: end } : {}),
      ...tooLong,
    };
  }
  if (typeof part === "string") {
    const text = part.slice(offset, offset + Math.floor(PIECE_BYTES / 6));
    const end = offset + text.length;
    return { total: part.length, text, ...(end < part.length ? { next_offset: end } : {}) };
  }
  const whole = JSON.stringify(part);
  return fitsResult(whole) ? part : { type: describeShape(part), next: "Choose a path within it." };
}

function meets(item: unknown, { path, op, value }: z.output<typeof where>): boolean {
  const found = readPointer(item, path);
  if (op === "==") return found === value || (found === undefined && value === null);
  if (op === "contains") {
    if (Array.isArray(found)) return found.includes(value);
    return typeof found === "string" && found.toLowerCase().includes(String(value).toLowerCase());
  }
  const isComparable =
    typeof found === typeof value && (typeof found === "number" || typeof found === "string");
  if (!isComparable || value === null) return false;
  return op === "<" ? found < value : found > value;
}
