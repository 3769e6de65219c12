import { createHash } from "node:crypto";

/** SHA-256 of a JSON value, in any order of its properties. */
export function digestOf(value: unknown): Buffer {
  return createHash("sha256").update(canonical(value)).digest();
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = sorted.map(([name, own]) => `${JSON.stringify(name)}:${canonical(own)}`);
  return `{${texts.join(",")}}`;
}
