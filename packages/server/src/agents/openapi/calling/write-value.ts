import type { PlannedParameter } from "../planning/plan-operation.ts";

type Fields = Readonly<Record<string, unknown>>;
type Pair = [name: string, value: string];

const separators = { comma: ",", space: " ", pipe: "|" } as const;

/** A value in a path or a header (style `simple`): `a,b`, and of an object `a,1,b,2` or `a=1,b=2`. */
export function toSimple(
  value: unknown,
  { isExploded, style }: Pick<PlannedParameter, "isExploded" | "style">,
  write: (text: string) => string = (text) => text,
): string {
  if (style === "json") return write(JSON.stringify(value));
  if (!isFields(value))
    return toList(value)
      .map((item) => write(toText(item)))
      .join(",");
  const entries = Object.entries(value).map(([name, item]) => [write(name), write(toText(item))]);
  return entries.map((pair) => pair.join(isExploded ? "=" : ",")).join(",");
}

/** A value in a query or a form, by its style. */
export function toPairs(name: string, value: unknown, style: PlannedParameter["style"]): Pair[] {
  if (value === undefined || value === null) return [];
  if (style === "deep") return toDeepPairs(name, value);
  if (style === "json") return [[name, JSON.stringify(value)]];
  if (style !== "form") return [[name, toItems(value).join(separators[style])]];
  if (isFields(value)) return Object.entries(value).map(([key, item]) => [key, toText(item)]);
  return toList(value).map((item) => [name, toText(item)]);
}

/** `a[b]=c`, and of lists `a[0]=c`. */
function toDeepPairs(name: string, value: unknown): Pair[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [[name, toText(value ?? "")]];
  return Object.entries(value).flatMap(([key, item]) => toDeepPairs(`${name}[${key}]`, item));
}

function toItems(value: unknown): string[] {
  const items = isFields(value) ? Object.entries(value).flat() : toList(value);
  return items.map(toText);
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function toText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
