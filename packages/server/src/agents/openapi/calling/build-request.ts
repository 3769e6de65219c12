import { createHash } from "node:crypto";
import type { AgentRequest } from "../../provider-calls/send-request.ts";
import { invalidInput } from "../../sources/refused-call.ts";
import type { PlannedParameter, RequestPlan } from "../planning/plan-operation.ts";
import { isFields, toList, toPairs, toSimple, toText } from "./write-value.ts";

type Fields = Readonly<Record<string, unknown>>;
type Body = NonNullable<RequestPlan["body"]>;

/** The request of an operation with this input. Throws RefusedCall for what cannot be part of one. */
export function buildRequest(plan: RequestPlan, input: Fields): AgentRequest {
  const given = plan.parameters.filter(({ key }) => isGiven(input, key));
  const pairs = given
    .filter(({ place }) => place === "query")
    .flatMap(({ key, name, style }) => toPairs(name, input[key], style));
  const content = plan.body && isGiven(input, plan.body.key) ? plan.body : undefined;
  const body = content && writeBody(content, input[content.key]);
  return {
    ...{ method: plan.method, path: buildPath(plan, input), query: pairs },
    headers: {
      ...Object.fromEntries(
        given.filter(({ place }) => place === "header").map((each) => toHeader(each, input)),
      ),
      ...(plan.accept === undefined ? {} : { accept: plan.accept }),
      ...(body === undefined ? {} : { "content-type": body.type }),
    },
    body: body?.bytes,
  };
}

function isGiven(input: Fields, key: string): boolean {
  return Object.hasOwn(input, key) && input[key] !== undefined;
}

function buildPath({ path, parameters }: RequestPlan, input: Fields): string {
  const byKey = new Map(parameters.map((each) => [each.key, each]));
  return path
    .map((part, index) => {
      if (index % 2 === 0) return part;
      const parameter = byKey.get(part);
      const text =
        parameter === undefined ? "" : toSimple(input[part], parameter, encodeURIComponent);
      // Nothing, and dots alone, would lead to another address.
      if (/^(\.|%2e){0,2}$/i.test(text)) throw invalidInput(`${part}: cannot be a part of a path`);
      return text;
    })
    .join("");
}

function toHeader(parameter: PlannedParameter, input: Fields): [string, string] {
  const { key, name } = parameter;
  const text = toSimple(input[key], parameter);
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return [name, text];
  throw invalidInput(`${key}: has characters that a header may not have`);
}

interface WrittenBody {
  readonly type: string;
  readonly bytes: Uint8Array;
}

function writeBody(body: Body, value: unknown): WrittenBody {
  const { kind, contentType: type, key } = body;
  switch (kind) {
    case "json":
      return {
        type: type.includes("*") || type === "application/octet-stream" ? "application/json" : type,
        bytes: Buffer.from(JSON.stringify(value)),
      };
    case "text":
      return { type, bytes: Buffer.from(toText(value)) };
    case "bytes":
      return { type, bytes: fromBase64(key, value) };
    case "form":
      return { type, bytes: Buffer.from(writeForm(body, value)) };
    case "multipart":
      return writeParts(body, value);
  }
}

function writeForm({ key, deep }: Body, value: unknown): string {
  const pairs = fieldsOf(key, value).flatMap(([name, item]) =>
    toPairs(name, item, deep.includes(name) || isNested(item) ? "deep" : "form"),
  );
  return new URLSearchParams(pairs).toString();
}

/** No form but `a[b]=c` has objects in lists, or in objects. */
function isNested(value: unknown): boolean {
  const items = isFields(value) ? Object.values(value) : toList(value);
  return items.some((item) => typeof item === "object" && item !== null);
}

function fieldsOf(key: string, value: unknown): [string, unknown][] {
  if (isFields(value)) return Object.entries(value);
  throw invalidInput(`${key}: has to be an object`);
}

function fromBase64(key: string, value: unknown): Uint8Array {
  const text = typeof value === "string" ? value : "";
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text !== "") return Buffer.from(text, "base64");
  throw invalidInput(`${key}: has to be base64`);
}

/** The same for the same input, also its boundary: what was approved is what is sent. */
function writeParts({ key, files }: Body, value: unknown): WrittenBody {
  const parts = fieldsOf(key, value).flatMap(([name, item]) =>
    toList(item).map((each) => writePart(key, { name, value: each, isFile: files.includes(name) })),
  );
  const digest = createHash("sha256").update(Buffer.concat(parts)).digest("hex");
  const boundary = `part-${digest.slice(0, 40)}`;
  const line = Buffer.from(`--${boundary}\r\n`);
  const end = Buffer.from(`--${boundary}--\r\n`);
  const bytes = Buffer.concat([...parts.flatMap((part) => [line, part]), end]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes };
}

function writePart(
  key: string,
  { name, value, isFile }: { name: string; value: unknown; isFile: boolean },
): Buffer {
  const shown = name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
  const file = isFile ? `; filename="${shown}"\r\nContent-Type: application/octet-stream` : "";
  const head = `Content-Disposition: form-data; name="${shown}"${file}\r\n\r\n`;
  const content = isFile ? fromBase64(`${key}.${name}`, value) : Buffer.from(toText(value));
  return Buffer.concat([Buffer.from(head), content, Buffer.from("\r\n")]);
}
