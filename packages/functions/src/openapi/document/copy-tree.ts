import type { JsonObject } from "../json.ts";
import { DocumentError } from "./document-error.ts";

/** GitHub's document of 13 MB and 1,200 operations has 600,000. */
const VALUES = 4_000_000;
const DEPTH = 200;

interface Copying {
  left: number;
  readonly onReference: (reference: string) => string;
}

/**
 * A tree of plain values. Anchors of YAML make a graph, and a few lines of them a tree without end: what is copied is
 * counted.
 */
export function copyTree(value: unknown, onReference: (reference: string) => string): unknown {
  return copy(value, { left: VALUES, onReference }, 0);
}

function copy(value: unknown, copying: Copying, depth: number): unknown {
  copying.left -= 1;
  if (copying.left < 0 || depth > DEPTH) {
    throw new DocumentError(
      `The document is too large: it may hold ${VALUES} values, ${DEPTH} inside each other.`,
    );
  }
  if (Array.isArray(value)) return value.map((item) => copy(item, copying, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return copyObject(value, copying, depth);
}

function copyObject(value: object, copying: Copying, depth: number): JsonObject {
  const copied: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (name === "__proto__") continue;
    const isReference = name === "$ref" && typeof field === "string";
    copied[name] = isReference ? copying.onReference(field) : copy(field, copying, depth + 1);
  }
  return copied;
}
