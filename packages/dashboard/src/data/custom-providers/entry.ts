import {
  beginningOfMode,
  type Entry,
  type EntryField,
  type FieldPath,
  type FormMode,
  fieldsOfMode,
  firstMode,
  formModes,
  isFormMode,
} from "./entry-modes.ts";

export const aboutFields: readonly EntryField[] = [
  { path: "display_name", kind: "text" },
  { path: "id", kind: "text" },
  { path: "categories.0", kind: "choice" },
  { path: "docs", kind: "text", isOptional: true },
];

export const callFields: readonly EntryField[] = [
  { path: "base_url", kind: "text", isOptional: true },
  { path: "verification.path", kind: "text", isOptional: true },
];

/** The fields that only entries of its mode have. */
export function modeFields({ auth_mode: mode }: Entry): readonly EntryField[] {
  return isFormMode(mode) ? fieldsOfMode[mode] : [];
}

export function newEntry(name: string): Entry {
  const entry = { id: toId(name), display_name: name, categories: ["other"] };
  return withMode(entry, firstMode);
}

/** An id made of a name. */
export function toId(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

/** The entry with another way to authorize: what belonged to the way before is left out. */
export function withMode(entry: Entry, mode: FormMode): Entry {
  const dropped = new Set(
    formModes.flatMap((each) => [
      ...Object.keys(beginningOfMode[each]),
      ...fieldsOfMode[each].map(({ path }) => path),
    ]),
  );
  const others = Object.entries(entry).filter(([key]) => !dropped.has(key));
  return { ...Object.fromEntries(others), auth_mode: mode, ...beginningOfMode[mode] };
}

/** The text at a path; undefined where the entry has something else there, which only JSON shows. */
export function readText(entry: Entry, { path, kind }: EntryField): string | undefined {
  let found: unknown = entry;
  for (const [index, key] of path.split(".").entries()) {
    const isList = Array.isArray(found);
    if (isList && !/^\d+$/.test(key)) return undefined;
    if (found === undefined && index > 0) return "";
    found = Object(found)[key];
  }
  if (found === undefined) return "";
  if (kind === "lines" && Array.isArray(found)) return found.map(String).join("\n");
  return typeof found === "string" ? found : undefined;
}

/** The entry with another text at a path; an empty one leaves the value out. */
export function writeText(entry: Entry, { path, kind }: EntryField, text: string): Entry {
  const value = kind === "lines" ? text.split("\n") : text;
  const changed = withValue(entry, path.split("."), text === "" ? undefined : value);
  return Object(changed ?? {});
}

function withValue(node: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const isList = Array.isArray(node) || (node === undefined && /^\d+$/.test(key));
  const inner = withValue(Object(node)[key], rest, value);
  const entries = Object.entries({ ...Object(node), [key]: inner }).filter(
    ([, each]) => each !== undefined,
  );
  if (entries.length === 0) return undefined;
  return isList ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** The entry as it is sent: texts of the form without blanks around them, and no empty line. */
export function tidyEntry(entry: Entry): Entry {
  const fields = [...aboutFields, ...callFields, ...modeFields(entry)];
  return fields.reduce((tidy, field) => {
    const text = readText(tidy, field);
    if (text === undefined) return tidy;
    const lines = text.split("\n").map((line) => line.trim());
    return writeText(tidy, field, lines.filter((line) => line !== "").join("\n"));
  }, entry);
}

export interface EntryFault {
  /** Where it is, as a dotted path; empty where the line names none. */
  readonly path: string;
  readonly message: string;
}

/** A line of the server about an entry: its path, and then the reason. */
export function toFault(line: string): EntryFault {
  const text = line.replace(/^entry: /, "");
  const [path = ""] = /^[A-Za-z_][\w.]*/.exec(text) ?? [];
  const reason = text.slice(path.length);
  if (reason.startsWith(": ")) return { path, message: reason.slice(2) };
  return { path, message: reason.trimStart() };
}

/** The first fault at a field's path or below it. */
export function faultAt(faults: readonly EntryFault[], path: FieldPath): EntryFault | undefined {
  return faults.find((fault) => isAt(fault, path));
}

/** Those that belong to no field that is shown. */
export function faultsElsewhere(
  faults: readonly EntryFault[],
  shown: readonly string[],
): readonly EntryFault[] {
  return faults.filter((fault) => !shown.some((path) => isAt(fault, path)));
}

function isAt(fault: EntryFault, path: string): boolean {
  const ownPath = fault.path === "categories" ? "categories.0" : fault.path;
  return ownPath === path || ownPath.startsWith(`${path}.`);
}
