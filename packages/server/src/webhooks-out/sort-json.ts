/** JSON text with the keys of every object in order, so that equal bodies are equal bytes. */
export function toSortedJson(value: unknown): string {
  return write(JSON.parse(JSON.stringify(value)));
}

// Written as text, not as a sorted object: number-like keys would go first in any object.
function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`);
  return `{${members.join(",")}}`;
}
