import { cleanText } from "../clean-text.ts";
import { fieldOf, isJsonObject, type JsonObject, textField } from "../json.ts";
import type { OpenApiDocument } from "./openapi-document.ts";

const MOST_STEPS = 50;

/** Why an operation cannot become an action: a predicate, such as `has no answer`. */
export class Unsupported extends Error {
  override name = "Unsupported";
}

/** What a `$ref` leads to; throws Unsupported. */
export function getReferenced(document: OpenApiDocument, reference: string): unknown {
  const known = document.referenced.get(reference);
  if (known !== undefined) return known;
  const found = findReferenced(document, reference);
  document.referenced.set(reference, found);
  return found;
}

function findReferenced({ root }: OpenApiDocument, reference: string): unknown {
  const shown = JSON.stringify(cleanText(reference, 200));
  if (!reference.startsWith("#")) {
    throw new Unsupported(`refers to ${shown}, which is not in the document`);
  }
  let found: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = decodePointer(part);
    found = Array.isArray(found) ? found[Number(name)] : fieldOf(found, name);
  }
  if (found === undefined) throw new Unsupported(`refers to ${shown}, which is not there`);
  return found;
}

/** The object itself, behind any references; throws Unsupported. */
export function follow(document: OpenApiDocument, value: unknown): JsonObject {
  let found = value;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (!isJsonObject(found)) return {};
    const reference = textField(found, "$ref");
    if (reference === undefined) return found;
    found = getReferenced(document, reference);
  }
  throw new Unsupported("refers to itself");
}

/** RFC 6901, in a fragment of RFC 3986. */
function decodePointer(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // It is taken as it is written.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
