import { AppError } from "#platform";
import type { OutgoingBody } from "../auth-mode.ts";

interface MergedBody {
  readonly body: OutgoingBody;
  readonly headers: ReadonlyMap<string, string>;
}

/** The body with credentials in it: fields of a form or of a JSON object. */
export function mergeBodyFields(
  { body, contentType, method }: { body: OutgoingBody; contentType: string; method: string },
  fields: ReadonlyMap<string, string>,
): MergedBody {
  if (fields.size === 0 || method === "GET" || method === "HEAD")
    return { body, headers: new Map() };
  const added = Object.fromEntries(fields);
  if (body.kind === "none") {
    const json = Buffer.from(JSON.stringify(added));
    const headers = new Map([["content-type", "application/json"]]);
    return { body: { kind: "bytes", bytes: json }, headers };
  }
  if (body.kind === "stream") {
    throw new AppError(
      "request_too_large",
      "This provider takes its credentials in the body, which is too large to be rewritten.",
    );
  }
  const text = Buffer.from(body.bytes).toString("utf8");
  const merged = /^application\/x-www-form-urlencoded\b/i.test(contentType)
    ? mergeForm(text, added)
    : mergeJson(text, added);
  return { body: { kind: "bytes", bytes: Buffer.from(merged) }, headers: new Map() };
}

function mergeForm(text: string, added: Readonly<Record<string, string>>): string {
  const form = new URLSearchParams(text);
  for (const [name, value] of Object.entries(added)) form.set(name, value);
  return form.toString();
}

function mergeJson(text: string, added: Readonly<Record<string, string>>): string {
  const parsed = parseJson(text);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
    return JSON.stringify({ ...parsed, ...added });
  }
  throw new AppError(
    "invalid_body",
    "This provider takes its credentials in the body: send a form or a JSON object.",
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
