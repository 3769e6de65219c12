import type { OpenApiDocument } from "@jackfield/functions/openapi";

/** One schema on its way to zod. */
export interface Conversion {
  readonly document: OpenApiDocument;
  /** Input is checked before it is sent. Output is described: providers add fields and values at any time. */
  readonly direction: "input" | "output";
  /** What is nested deeper, or comes after as many schemas, is `z.unknown()`. */
  readonly deepest: number;
  left: number;
  /** What became `z.unknown()`, for who reads the file. */
  readonly notes: Set<string>;
  /** The source of a zod schema; what is optional is marked so. */
  readonly convert: (c: Conversion, value: unknown, place: Place, isOptional?: boolean) => string;
}

/** Where in a schema. */
export interface Place {
  readonly depth: number;
  /** References that were followed to get here. */
  readonly trail: readonly string[];
}

export const ANYTHING = "z.unknown()";

export const start: Place = { depth: 0, trail: [] };
