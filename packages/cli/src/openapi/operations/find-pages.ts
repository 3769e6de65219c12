import {
  type JsonObject,
  objectField,
  type Parameter,
  typesOf,
} from "@jackfield/functions/openapi";
import { type Conversion, start } from "../schemas/conversion.ts";
import { resolveSchema } from "../schemas/resolve-schema.ts";

/** How the further pages of a list are asked for. */
export interface Pages {
  /** Field of the answer that has the items; empty when the answer is the list. */
  readonly items: string;
  /** The query parameter that says which page. */
  readonly parameter: string;
  readonly by:
    | { readonly kind: "page" | "offset"; readonly first: number }
    /** Path of the next cursor in the answer, with dots. */
    | { readonly kind: "cursor"; readonly at: string }
    /** The id of the last item, while this field of the answer is true. */
    | { readonly kind: "last-id"; readonly more: string };
}

const names = {
  page: ["page", "page_number", "pageNumber", "page_num", "pageNum", "page_no"],
  offset: ["offset", "skip", "start_at", "startAt", "start_index", "startIndex"],
  cursor: [
    ...["cursor", "page_token", "pageToken", "next_token", "nextToken", "page_cursor", "after"],
    ...["continuation_token", "continuationToken", "start_cursor", "next_cursor", "marker"],
    ...["next_page_token", "nextPageToken", "starting_after", "pagination_token"],
  ],
  next: [
    ...["next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken"],
    ...["cursor", "after", "end_cursor", "endCursor", "continuation_token", "continuationToken"],
    ...["next_marker", "page_token", "pageToken", "next_page_cursor"],
  ],
  envelope: ["meta", "pagination", "paging", "page_info", "pageInfo", "response_metadata"],
  items: ["data", "items", "results", "values", "records", "entries", "list", "objects"],
} as const;

/** Undefined where it is not plain how the list continues. */
export function findPages(
  c: Conversion,
  parameters: readonly Parameter[],
  answer: JsonObject,
): Pages | undefined {
  const { schema } = resolveSchema(c, answer, start) ?? { schema: {} };
  const isList = typesOf(schema).includes("array");
  const fields = objectField(schema, "properties") ?? {};
  const items = isList ? "" : findItems(c, fields);
  if (items === undefined) return undefined;
  const find = (known: readonly string[]) =>
    parameters.find((one) => one.place === "query" && known.includes(one.name));
  const cursor = find(names.cursor);
  const at = findNext(c, fields);
  if (cursor !== undefined && at !== undefined) {
    return { items, parameter: cursor.name, by: { kind: "cursor", at } };
  }
  if (cursor?.name === "starting_after" && Object.hasOwn(fields, "has_more")) {
    return { items, parameter: cursor.name, by: { kind: "last-id", more: "has_more" } };
  }
  const page = find(names.page);
  if (page !== undefined) {
    return { items, parameter: page.name, by: { kind: "page", first: firstOf(page, 1) } };
  }
  const offset = find(names.offset);
  if (offset === undefined) return undefined;
  return { items, parameter: offset.name, by: { kind: "offset", first: firstOf(offset, 0) } };
}

function firstOf({ schema }: Parameter, usual: number): number {
  const first = schema["default"];
  return first === 0 || first === 1 ? first : usual;
}

/** The only list of an answer, or the one of a usual name. */
function findItems(c: Conversion, fields: JsonObject): string | undefined {
  const lists = Object.keys(fields).filter((name) => isOfType(c, fields[name], "array"));
  return (
    names.items.find((name) => lists.includes(name)) ?? (lists.length === 1 ? lists[0] : undefined)
  );
}

function findNext(c: Conversion, fields: JsonObject): string | undefined {
  const own = names.next.find((name) => Object.hasOwn(fields, name));
  if (own !== undefined) return own;
  for (const envelope of names.envelope) {
    const inner = resolveSchema(c, fields[envelope], start)?.schema;
    const properties = objectField(inner, "properties") ?? {};
    const next = names.next.find((name) => Object.hasOwn(properties, name));
    if (next !== undefined) return `${envelope}.${next}`;
  }
  return undefined;
}

function isOfType(c: Conversion, field: unknown, type: string): boolean {
  const resolved = resolveSchema(c, field, start);
  return resolved !== undefined && typesOf(resolved.schema).includes(type);
}
