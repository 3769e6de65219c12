/**
 * What looking after the process needs of the language, taken before a function's code is loaded: the function may
 * have replaced any of it since. Lists are walked by index, because loops over them would call its iterators.
 */
export const {
  defineProperty,
  deleteProperty,
  get,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isExtensible,
  ownKeys,
  set,
  setPrototypeOf,
  apply,
} = Reflect;
export const { freeze, is, isFrozen } = Object;

export const entriesOfMap = takeEntries(Map.prototype);
export const entriesOfSet = takeEntries(Set.prototype);

type Entries = (collection: object) => readonly unknown[] | undefined;

/** Reads what is in a Map or Set, keys and values in one list; undefined for anything else. */
function takeEntries(prototype: Map<unknown, unknown> | Set<unknown>): Entries {
  const { forEach } = prototype;
  return (collection) => {
    const entries: unknown[] = [];
    const keep = (value: unknown, key: unknown) => {
      entries[entries.length] = key;
      entries[entries.length] = value;
    };
    try {
      apply(forEach, collection, [keep]);
      return entries;
    } catch {
      return undefined;
    }
  };
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
