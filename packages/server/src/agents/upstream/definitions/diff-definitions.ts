import type { ToolDefinition } from "../upstream.ts";

export interface DefinitionChange {
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  /** As JSON; null where it was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

const MOST_CHANGES = 100;
const LONGEST_VALUE = 1000;

/** What of a tool's definition is other than before, place by place, at most 100. */
export function diffDefinitions(before: ToolDefinition, after: ToolDefinition): DefinitionChange[] {
  const [old, now] = [flatten(before), flatten(after)];
  const changes: DefinitionChange[] = [];
  for (const path of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(path), now.get(path)];
    if (was === is) continue;
    if (changes.length === MOST_CHANGES) break;
    changes.push({ path, before: was ?? null, after: is ?? null });
  }
  return changes;
}

function flatten(value: unknown, path = "", into = new Map<string, string>()) {
  const isParent = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isParent) {
    const text = JSON.stringify(value) ?? "null";
    into.set(path, text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
    return into;
  }
  for (const [name, each] of Object.entries(value)) {
    flatten(each, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, into);
  }
  return into;
}
