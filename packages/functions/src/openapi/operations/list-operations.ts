import { createHash } from "node:crypto";
import type { OpenApiDocument } from "../document/openapi-document.ts";
import { follow, Unsupported } from "../document/references.ts";
import { isJsonObject, type JsonObject, objectField, textField, textsField } from "../json.ts";
import { type Method, methods, type Operation } from "./operation.ts";

/** All operations, in the order of the document, each with the name of its action. */
export function listOperations(document: OpenApiDocument): Operation[] {
  const taken = new Set<string>();
  return Object.entries(objectField(document.root, "paths") ?? {}).flatMap(([path, value]) => {
    const pathItem = findPathItem(document, value);
    return methods.flatMap((method) => {
      const definition = objectField(pathItem, method);
      if (definition === undefined) return [];
      return toOperation({ method, path, definition, pathItem }, taken);
    });
  });
}

function findPathItem(document: OpenApiDocument, value: unknown): JsonObject {
  try {
    return follow(document, value);
  } catch (error) {
    if (error instanceof Unsupported && isJsonObject(value)) return value;
    throw error;
  }
}

function toOperation(
  place: { method: Method; path: string; definition: JsonObject; pathItem: JsonObject },
  taken: Set<string>,
): Operation {
  const id = textField(place.definition, "operationId")?.trim() || undefined;
  const action = toActionName({ ...place, id }, taken);
  taken.add(action);
  return { ...place, id, action, tags: textsField(place.definition, "tags") };
}

/** Tools of language models have names of 64 characters, with the integration. */
const LONGEST = 60;
const HASH_DIGITS = 6;
/** Windows has no files of these names. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * `issues/list_for_repo` and `IssuesListForRepo` -> `issues-list-for-repo`. Without an id it is made of method and path.
 * What is taken gets digits that stay the same however many operations are chosen.
 */
function toActionName(
  { id, method, path }: Pick<Operation, "id" | "method" | "path">,
  taken: ReadonlySet<string>,
): string {
  const plain = toWords(id ?? "") || toWords(`${method} ${path}`) || method;
  const isLong = plain.length > LONGEST;
  const name = devices.test(plain) ? `${plain}-action` : plain;
  if (!isLong && !taken.has(name)) return name;
  const hash = createHash("sha256").update(`${method} ${path}`).digest("hex");
  return `${name.slice(0, LONGEST - HASH_DIGITS - 1)}-${hash.slice(0, HASH_DIGITS)}`;
}

function toWords(text: string): string {
  return text
    .slice(0, 500)
    .normalize("NFKD")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "");
}
