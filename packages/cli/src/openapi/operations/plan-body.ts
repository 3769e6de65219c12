import {
  fieldOf,
  isJsonObject,
  type JsonObject,
  listField,
  objectField,
  type RequestBody,
  textsField,
  typesOf,
} from "@jackfield/functions/openapi";
import { type Conversion, start } from "../schemas/conversion.ts";
import { resolveSchema } from "../schemas/resolve-schema.ts";
import { listFields } from "../schemas/to-object.ts";
import { toKey } from "../source/literals.ts";

export interface BodyPlan extends RequestBody {
  /** The field that has the body; undefined where the body's own fields stand next to the parameters. */
  readonly key: string | undefined;
  readonly fields: readonly BodyField[];
  /** References that were followed to get to the fields. */
  readonly trail: readonly string[];
  /** Fields of a form that are files, and those that are objects. */
  readonly files: readonly string[];
  readonly deep: readonly string[];
  /** What is sent is no object and no list, so that it has to be written as JSON first. */
  readonly isScalar: boolean;
}

interface BodyField {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** `taken` are fields of the input that are something else. */
export function planBody(c: Conversion, body: RequestBody, taken: ReadonlySet<string>): BodyPlan {
  const resolved = resolveSchema(c, body.schema, start) ?? { schema: {}, place: start };
  const { schema } = resolved;
  const required = new Set(textsField(schema, "required"));
  const fields = listFields(c, schema, start).map(([name, field]) => {
    return { name, schema: field, isRequired: required.has(name) };
  });
  const isForm = body.kind === "form" || body.kind === "multipart";
  const isFlat = isForm || (body.kind === "json" && isPlainObject(schema, body.isRequired));
  const isApart = fields.length > 0 && fields.every(({ name }) => !taken.has(name));
  let key = body.kind === "bytes" ? "body_base64" : "body";
  while (taken.has(key)) key = `${key}_content`;
  const types = typesOf(schema);
  return {
    ...body,
    ...{ fields, trail: resolved.place.trail },
    key: isFlat && isApart && isOneForm(schema) ? undefined : key,
    files: fields.filter((field) => isFile(c, body, field)).map(({ name }) => name),
    deep: fields.filter((field) => isDeep(c, body, field)).map(({ name }) => name),
    isScalar: body.kind === "json" && !types.some((type) => type === "object" || type === "array"),
  };
}

/** A body that may be left out, but not in parts, stays one field. */
function isPlainObject(schema: JsonObject, isRequired: boolean): boolean {
  return isRequired || textsField(schema, "required").length === 0;
}

function isOneForm(schema: JsonObject): boolean {
  return (
    listField(schema, "oneOf").length === 0 &&
    listField(schema, "anyOf").every((option) => objectField(option, "properties") === undefined) &&
    !isJsonObject(fieldOf(schema, "additionalProperties"))
  );
}

/** The lines of an input's schema that are the body. */
export function writeBodyFields(c: Conversion, body: BodyPlan): string[] {
  const { key, kind, schema, files } = body;
  const optional = body.isRequired ? "" : ".optional()";
  if (key !== undefined) {
    if (kind === "bytes") return [`${key}: z.base64()${optional},`];
    if (kind === "text") return [`${key}: z.string()${optional},`];
    return [`${key}: ${c.convert(c, schema, start, !body.isRequired)},`];
  }
  const inner = { depth: 1, trail: body.trail };
  return body.fields.flatMap((field) => {
    // What is optional can be left out of what is too large.
    if (c.left <= 0 && !field.isRequired) return [];
    const zod = files.includes(field.name)
      ? writeFile(c, field)
      : c.convert(c, field.schema, inner, !field.isRequired);
    return [`${toKey(field.name)}: ${zod},`];
  });
}

function writeFile(c: Conversion, { schema, isRequired }: BodyField): string {
  const isList = typesOf(resolveSchema(c, schema, start)?.schema ?? {}).includes("array");
  const type = isList ? "z.array(z.base64())" : "z.base64()";
  return isRequired ? type : `${type}.optional()`;
}

/** A file, or a list of files. */
function isFile(c: Conversion, { kind }: RequestBody, { schema }: BodyField): boolean {
  if (kind !== "multipart") return false;
  const own = resolveSchema(c, schema, start)?.schema;
  const items = fieldOf(own, "items");
  const content = items === undefined ? own : resolveSchema(c, items, start)?.schema;
  return (
    fieldOf(content, "format") === "binary" ||
    (typeof fieldOf(content, "contentMediaType") === "string" &&
      fieldOf(content, "contentEncoding") === undefined)
  );
}

/** `a[b]=c` where the document says so, and for what no form has another way: objects in lists. */
function isDeep(c: Conversion, { kind, encoding }: RequestBody, { name, schema }: BodyField) {
  if (kind !== "form") return false;
  const style = fieldOf(objectField(encoding, name), "style");
  if (style !== undefined) return style === "deepObject";
  const items = fieldOf(resolveSchema(c, schema, start)?.schema, "items");
  return typesOf(resolveSchema(c, items, start)?.schema ?? {}).includes("object");
}
