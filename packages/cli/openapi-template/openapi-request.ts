import { ActionError, type ProxyResponse } from "jackfield";

type Fields = Readonly<Record<string, unknown>>;

/** How a value of a query becomes text: `form` repeats lists, `deep` is `a[b]=c`. */
type Style = "form" | "comma" | "space" | "pipe" | "deep" | "json";

const separators = { comma: ",", space: " ", pipe: "|" } as const;

/** A part of an address. Nothing, and dots alone, would lead to another one. */
export function pathPart(value: unknown): string {
  const text = toList(value)
    .map((item) => encodeURIComponent(toText(item)))
    .join(",");
  if (!/^(\.|%2e){0,2}$/i.test(text)) return text;
  throw new ActionError({ message: `${JSON.stringify(value)} cannot be a part of an address.` });
}

export function toQuery(
  values: readonly (readonly [name: string, value: unknown, style?: Style])[],
): string {
  const query = new URLSearchParams();
  for (const [name, value, style = "form"] of values) append(query, name, value, style);
  return query.toString();
}

/** A form; the fields named in `deep` are written as `a[b]=c`. */
export function toForm(body: Fields, deep: readonly string[] = []): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    append(form, name, value, deep.includes(name) ? "deep" : "form");
  }
  return form;
}

/** Parts of a form; the fields named in `files` are base64. */
export function toParts(body: Fields, files: readonly string[] = []): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const item of toList(value)) {
      if (files.includes(name)) form.append(name, new Blob([fromBase64(item)]), name);
      else form.append(name, toText(item));
    }
  }
  return form;
}

export function fromBase64(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(toText(value), "base64"));
}

/** A header; undefined leaves it out. */
export function headerText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : toList(value).map(toText).join(",");
}

interface Pages {
  /** Field of the answer that has the items; empty when the answer is the list. */
  readonly items: string;
  readonly by: "page" | "offset" | "cursor" | "last-id";
  /** Of `page` and `offset`. */
  readonly first?: number;
  /** Path of the next cursor in the answer; of `last-id`, the field that says whether there is more. */
  readonly at?: string;
}

type Turn = string | number | undefined;

/** So many pages, one unless asked for more: the last answer, with the items of all. */
export async function collectPages(
  pages: Pages,
  asked: { readonly pages: number | undefined; readonly from: unknown },
  call: (turn: Turn) => Promise<ProxyResponse>,
): Promise<ProxyResponse["data"]> {
  const all: unknown[] = [];
  let turn: Turn = toTurn(asked.from);
  for (let count = 1; ; count += 1) {
    const response = await call(turn);
    const { data } = response;
    const found = pages.items === "" ? data : readPath(data, pages.items);
    const items = Array.isArray(found) ? found : [];
    all.push(...items);
    const next = items.length === 0 ? undefined : findNext(pages, { response, items, turn });
    if (count >= (asked.pages ?? 1) || next === undefined || next === turn) {
      if (count === 1) return data;
      return pages.items === "" ? all : { ...data, [pages.items]: all };
    }
    turn = next;
  }
}

function findNext(
  { by, at = "", first = 0 }: Pages,
  last: { response: ProxyResponse; items: readonly unknown[]; turn: Turn },
): Turn {
  const { data, headers } = last.response;
  const here = Number(last.turn ?? first);
  if (by === "cursor") return toTurn(readPath(data, at));
  if (by === "last-id") {
    return readPath(data, at) === true ? toTurn(readPath(last.items.at(-1), "id")) : undefined;
  }
  const { link } = headers;
  if (link !== undefined && !/rel="?next\b/.test(String(link))) return undefined;
  return by === "page" ? here + 1 : here + last.items.length;
}

function toTurn(value: unknown): Turn {
  return typeof value === "number" || (typeof value === "string" && value !== "")
    ? value
    : undefined;
}

function readPath(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((found, name) => {
    return typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
  }, value);
}

function append(target: URLSearchParams, name: string, value: unknown, style: Style): void {
  if (value === undefined || value === null) return;
  if (style === "deep") appendDeep(target, name, value);
  else if (style === "json") target.append(name, JSON.stringify(value));
  else if (style !== "form") target.append(name, toItems(value).join(separators[style]));
  else if (isFields(value)) {
    for (const [key, item] of Object.entries(value)) target.append(key, toText(item));
  } else for (const item of toList(value)) target.append(name, toText(item));
}

function appendDeep(target: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== "object" || value === null) target.append(name, toText(value ?? ""));
  else for (const [key, item] of Object.entries(value)) appendDeep(target, `${name}[${key}]`, item);
}

function toItems(value: unknown): string[] {
  const items = isFields(value) ? Object.entries(value).flat() : toList(value);
  return items.map(toText);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
