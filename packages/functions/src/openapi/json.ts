export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own field of an object; what documents say is never looked up in a prototype. */
export function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function objectField(value: unknown, name: string): JsonObject | undefined {
  const field = fieldOf(value, name);
  return isJsonObject(field) ? field : undefined;
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  return Array.isArray(field) ? field : [];
}

export function textField(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : undefined;
}

export function textsField(value: unknown, name: string): string[] {
  return listField(value, name).filter((item) => typeof item === "string");
}
