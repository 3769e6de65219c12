/** The base with every value of the change in its place, at every depth; lists are replaced whole. */
export function mergeSettings(base: object, change: object): Record<string, unknown> {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [name, value] of Object.entries(change)) {
    const before = merged.get(name);
    merged.set(name, isGroup(before) && isGroup(value) ? mergeSettings(before, value) : value);
  }
  return Object.fromEntries(merged);
}

function isGroup(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
