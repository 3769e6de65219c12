/** JSON that is written already, its keys in order: it becomes a member of a larger object unchanged. */
export class WrittenJson {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** JSON text with the keys of every object in order, so that equal bodies are equal bytes. */
export function toSortedJson(value: unknown): string {
  return writeSorted(JSON.parse(JSON.stringify(value)));
}

/** `toSortedJson` of an object whose members may be written already, in parts one behind the other. */
export function toSortedParts(body: object): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (const [key, value] of Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue;
    parts.push(Buffer.from(`${parts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`));
    parts.push(value instanceof WrittenJson ? value.bytes : Buffer.from(toSortedJson(value)));
  }
  return [...(parts.length === 0 ? [Buffer.from("{")] : parts), Buffer.from("}")];
}

/** Of a value that JSON.parse has made. Written as text: number-like keys would go first in any object. */
export function writeSorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value);
  if (members.length > 1) members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeSorted(member)}`).join(",")}}`;
}
