import { readFileSync } from "node:fs";
import { resolveReference } from "@jackfield/contract";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Operation {
  readonly responses: Readonly<Record<string, object>>;
}

const document: { paths: Record<string, Record<string, Operation>>; components: object } =
  JSON.parse(
    readFileSync(new URL("../../packages/contract/openapi.json", import.meta.url), "utf8"),
  );

// `format` is an annotation in this dialect; patterns that zod writes for it are checked.
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: "api", components: document.components });
const validators = new Map<string, ValidateFunction>();

/** The one with the fewest variables first. */
const templates = Object.keys(document.paths)
  .toSorted((a, b) => a.split("{").length - b.split("{").length)
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/?$`, "i"),
  }));

/** Why an answer is not what openapi.json says of it; undefined when it is, or when the body is the provider's. */
export function nonconformity(answer: {
  method: string;
  path: string;
  status: number;
  body: unknown;
}): string | undefined {
  const pathname = new URL(answer.path, "http://x").pathname;
  if (pathname.startsWith("/proxy/")) return undefined;
  const method = answer.method.toLowerCase();
  const template = templates.find(
    ({ path, pattern }) => document.paths[path]?.[method] !== undefined && pattern.test(pathname),
  )?.path;
  const operation = document.paths[template ?? ""]?.[method];
  const name = `${answer.method} ${pathname} ${answer.status}`;
  const response = operation?.responses[answer.status];
  if (response === undefined) return answer.status === 404 ? undefined : `${name} is not described`;
  const { content } = resolveReference({ ...document }, response);
  const [described] = Object.values(Object(content));
  const { schema } = Object(described);
  // A page for browsers stands where programs get JSON.
  const isPage = typeof answer.body === "string" && answer.body.startsWith("<!doctype html>");
  if (schema === undefined || isPage || method === "head") return undefined;
  const key = `${answer.method} ${template} ${answer.status}`;
  const validate = validators.get(key) ?? ajv.compile(pointAtApi(schema));
  validators.set(key, validate);
  return validate(answer.body) ? undefined : `${name}: ${ajv.errorsText(validate.errors)}`;
}

function pointAtApi(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/'));
}
