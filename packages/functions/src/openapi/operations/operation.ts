import type { JsonObject } from "../json.ts";

export const methods = [
  "get",
  "head",
  "post",
  "put",
  "patch",
  "delete",
  "options",
  "trace",
] as const;
export type Method = (typeof methods)[number];

export const effects = ["read", "write", "destructive"] as const;
export type Effect = (typeof effects)[number];

/** An operation as the document has it. */
export interface Operation {
  readonly method: Method;
  /** As a template: `/contacts/{id}`. */
  readonly path: string;
  /** Undefined where the document gives none. */
  readonly id: string | undefined;
  readonly tags: readonly string[];
  readonly definition: JsonObject;
  /** What holds for all operations of its path. */
  readonly pathItem: JsonObject;
  /** Name of its action: unique in the document, of letters, digits and `-`. */
  readonly action: string;
}

/** `GET /contacts/{id}` */
export function presentOperation({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method.toUpperCase()} ${path}`;
}

export function effectOf(method: Method): Effect {
  if (method === "get" || method === "head") return "read";
  return method === "delete" ? "destructive" : "write";
}
