import { resolveReference } from "@jackfield/contract";
import type { Sketching } from "./sketch-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** Reads references of the OpenAPI document. */
export interface Reader extends Sketching {
  readonly resolve: (value: unknown) => Json;
}

export function newReader(document: Json): Reader {
  return {
    resolve: (value) => resolveReference(document, value),
    // Private-use characters: in no text of the contract, and the same once HTML is escaped.
    writeType: (name) => `\uE000${name}\uE001`,
  };
}

/** Escaped HTML with the types that a sketch names as links to them. */
export function linkTypes(html: string): string {
  return html.replaceAll(/\uE000(\w+)\uE001/g, '<a href="#type-$1">$1</a>');
}
