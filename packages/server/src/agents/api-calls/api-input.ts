import * as z from "zod";
import { invalidInput } from "../sources/refused-call.ts";

const scalar = z.union([z.string().max(10_000), z.number(), z.boolean()]);

/** What an agent gives: no header but the content type, and no other host. */
const apiInput = z.strictObject({
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
  path: z.string().min(1).max(4000).describe("Below the API's base address, without a query"),
  query: z
    .record(z.string().min(1).max(200), z.union([scalar, z.array(scalar).max(200)]))
    .optional()
    .describe("Parameters; a list repeats its name"),
  body: z.unknown().optional().describe("JSON; with a content_type a text, or fields of a form"),
  content_type: z.string().max(200).optional().describe("Default: application/json"),
});

export type ApiInput = z.output<typeof apiInput>;

const overrides = /^\s*(x-http-method(-override)?|x-method-override|_method)\s*$/i;
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;\s*charset=[\w-]+)?$/;

/** Throws RefusedCall. */
export function readApiInput(given: unknown): ApiInput {
  const parsed = apiInput.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidInput(`${issue?.path.join(".") || "the input"}: ${issue?.message}`);
  }
  const { method, path, query = {}, body, content_type: type } = parsed.data;
  if (/[?#]/.test(path)) throw invalidInput("path: has a query; give its parameters as `query`");
  if (Object.keys(query).some((name) => overrides.test(name)))
    throw invalidInput("query: asks for another method; give it as `method`");
  if (body !== undefined && (method === "GET" || method === "HEAD"))
    throw invalidInput(`body: a ${method} request has none`);
  if (type !== undefined && (!mediaType.test(type) || /^multipart\//i.test(type)))
    throw invalidInput("content_type: is not one that can be sent");
  return parsed.data;
}

/** Bytes of the body, and its type. Throws RefusedCall. */
export function toBody({ body, content_type: type = "application/json" }: ApiInput): {
  body: Uint8Array | undefined;
  headers: Record<string, string>;
} {
  if (body === undefined) return { body: undefined, headers: {} };
  const headers = { "content-type": type };
  if (/[/+]json\b/i.test(type)) return { body: Buffer.from(JSON.stringify(body)), headers };
  if (typeof body === "string") return { body: Buffer.from(body), headers };
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw invalidInput(`body: has to be a text for the type ${type}`);
  return { body: Buffer.from(toForm(body)), headers };
}

function toForm(fields: unknown): string {
  const parsed = z.record(z.string(), scalar).safeParse(fields);
  if (!parsed.success) throw invalidInput("body: a form has fields of texts, numbers and booleans");
  const pairs = Object.entries(parsed.data).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(pairs).toString();
}

export function toPairs({ query = {} }: ApiInput): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
}

/** The schema as a client sees it, with the methods that there are. */
export function describeApiInput(methods: readonly string[]) {
  const { $schema: _, ...schema } = z.toJSONSchema(apiInput, { io: "input" });
  return {
    ...schema,
    type: "object" as const,
    properties: { ...schema.properties, method: { type: "string", enum: [...methods] } },
  };
}
