/** Members of one object or list that a tree shows; the others are counted. */
const MOST_MEMBERS = 200;
/** A value with no more members in all is shown opened. */
const MOST_OPENED = 100;

export interface Member {
  /** Where it is in the whole, as a JSON Pointer (RFC 6901). */
  readonly path: string;
  /** Undefined in a list. */
  readonly name: string | undefined;
  readonly value: unknown;
}

/** Whether it is an object or a list with anything in it. */
export function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

export function membersOf(
  value: object,
  path: string,
): { readonly members: readonly Member[]; readonly left: number } {
  const all = Object.entries(value).filter(([, one]) => one !== undefined);
  const members = all.slice(0, MOST_MEMBERS).map(([name, one]: [string, unknown]) => ({
    path: `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    name: Array.isArray(value) ? undefined : name,
    value: one,
  }));
  return { members, left: all.length - members.length };
}

/** Paths of the objects and lists that are open at first: from the outside in, as far as the tree stays short. */
export function openedFirst(value: object): readonly string[] {
  const opened: string[] = [];
  let level = membersOf(value, "").members;
  let shown = level.length;
  while (level.length > 0) {
    const next: Member[] = [];
    for (const { path, value: one } of level) {
      if (!isNested(one)) continue;
      const { members } = membersOf(one, path);
      shown += members.length;
      if (shown > MOST_OPENED) return opened;
      opened.push(path);
      next.push(...members);
    }
    level = next;
  }
  return opened;
}
