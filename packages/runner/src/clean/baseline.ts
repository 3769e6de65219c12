import {
  defineProperty,
  deleteProperty,
  entriesOfMap,
  entriesOfSet,
  freeze,
  get,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  is,
  isExtensible,
  isFrozen,
  isObject,
  ownKeys,
  set,
  setPrototypeOf,
} from "./kept.ts";

interface Known {
  readonly object: object;
  readonly prototype: object | null;
  readonly isExtensible: boolean;
  readonly keys: PropertyKey[];
  /** One for each key; undefined where the property is left alone. */
  readonly descriptors: (PropertyDescriptor | undefined)[];
  /** Contents of a Map or Set. */
  readonly entries: readonly unknown[] | undefined;
}

/** A setting behind an accessor, as `EventEmitter.defaultMaxListeners` is. */
interface Setting {
  readonly object: object;
  readonly key: PropertyKey;
  readonly value: unknown;
}

/**
 * Remembers how the objects that all code of a process shares look before a function has touched them, and puts
 * them back. Methods that have nothing but their name are frozen instead: there is nothing to compare later.
 */
export class Baseline {
  readonly #seen = new WeakSet<object>();
  readonly #has = this.#seen.has.bind(this.#seen);
  readonly #remember = this.#seen.add.bind(this.#seen);
  readonly #known: Known[] = [];
  readonly #settings: Setting[] = [];

  /** Takes in an object and all that is reached from it, but for its properties named in `except`. */
  add(root: unknown, except: readonly PropertyKey[] = []): void {
    const open: unknown[] = [root];
    for (let next = 0; next < open.length; next += 1) {
      const object = open[next];
      if (!isObject(object) || this.#has(object)) continue;
      this.#remember(object);
      this.#take(object, open, object === root ? except : []);
    }
  }

  /** Takes in properties that `add` left alone because of `except`, and those that came with them. */
  addProperties(object: object, names: readonly PropertyKey[]): void {
    const known = this.#findKnown(object);
    if (known === undefined) return;
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at];
      if (name !== undefined) this.add(get(object, name));
    }
    const now = ownKeys(object);
    for (let at = 0; at < now.length; at += 1) {
      const key = now[at];
      if (key === undefined) continue;
      const place = placeOf(known.keys, key);
      if (place < known.keys.length && !isAmong(names, key)) continue;
      const descriptor = getOwnPropertyDescriptor(object, key);
      known.keys[place] = key;
      known.descriptors[place] = descriptor;
      this.add(descriptor?.value);
    }
  }

  #findKnown(object: object): Known | undefined {
    for (let at = 0; at < this.#known.length; at += 1) {
      if (this.#known[at]?.object === object) return this.#known[at];
    }
    return undefined;
  }

  /** Puts everything back; false when something cannot be. */
  restore(): boolean {
    for (let at = 0; at < this.#known.length; at += 1) {
      const known = this.#known[at];
      if (known !== undefined && !isAsBefore(known) && !putBack(known)) return false;
    }
    for (let at = 0; at < this.#settings.length; at += 1) {
      const setting = this.#settings[at];
      if (setting !== undefined && !restoreSetting(setting)) return false;
    }
    return true;
  }

  #take(object: object, open: unknown[], except: readonly PropertyKey[]): void {
    const prototype = getPrototypeOf(object);
    open[open.length] = prototype;
    const keys = ownKeys(object);
    if (isPlainMethod(object, keys)) {
      freeze(object);
      return;
    }
    const descriptors: (PropertyDescriptor | undefined)[] = [];
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at];
      if (key === undefined || isAmong(except, key)) {
        descriptors[at] = undefined;
        continue;
      }
      // Those of RegExp tell of the last match, and are no settings.
      if (object !== RegExp && !isPrototype(object)) this.#takeSetting(object, key, open);
      const descriptor = getOwnPropertyDescriptor(object, key);
      descriptors[at] = descriptor;
      open[open.length] = descriptor?.value;
      open[open.length] = descriptor?.get;
      open[open.length] = descriptor?.set;
    }
    const entries = entriesOfMap(object) ?? entriesOfSet(object);
    if (entries === undefined && isFrozen(object)) return;
    const known = { object, prototype, isExtensible: isExtensible(object), keys, descriptors };
    this.#known[this.#known.length] = { ...known, entries };
  }

  /** Reading it may replace a property that is loaded at first use by its value, which is welcome here. */
  #takeSetting(object: object, key: PropertyKey, open: unknown[]): void {
    const descriptor = getOwnPropertyDescriptor(object, key);
    if (descriptor?.get === undefined || descriptor.set === undefined) return;
    const value = readSetting(object, key);
    if (isObject(value)) open[open.length] = value;
    else this.#settings[this.#settings.length] = { object, key, value };
  }
}

function isPlainMethod(object: object, keys: readonly PropertyKey[]): boolean {
  if (typeof object !== "function" || keys.length > 2) return false;
  for (let at = 0; at < keys.length; at += 1) {
    if (keys[at] !== "name" && keys[at] !== "length") return false;
  }
  return true;
}

function isPrototype(object: object): boolean {
  return (
    typeof object !== "function" && getOwnPropertyDescriptor(object, "constructor") !== undefined
  );
}

function readSetting(object: object, key: PropertyKey): unknown {
  try {
    return get(object, key);
  } catch {
    return undefined;
  }
}

function restoreSetting({ object, key, value }: Setting): boolean {
  if (is(readSetting(object, key), value)) return true;
  try {
    set(object, key, value);
  } catch {
    return false;
  }
  return is(readSetting(object, key), value);
}

function isAsBefore(known: Known): boolean {
  const { object, keys, descriptors } = known;
  if (getPrototypeOf(object) !== known.prototype) return false;
  if (isExtensible(object) !== known.isExtensible) return false;
  const now = ownKeys(object);
  if (now.length !== keys.length) return false;
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at];
    if (key === undefined || now[at] !== key) return false;
    const before = descriptors[at];
    if (before !== undefined && !isSame(before, getOwnPropertyDescriptor(object, key)))
      return false;
  }
  return known.entries === undefined || hasEntries(object, known.entries);
}

function isSame(before: PropertyDescriptor, now: PropertyDescriptor | undefined): boolean {
  return (
    now !== undefined &&
    is(now.value, before.value) &&
    now.get === before.get &&
    now.set === before.set &&
    now.writable === before.writable &&
    now.configurable === before.configurable &&
    now.enumerable === before.enumerable
  );
}

function hasEntries(object: object, before: readonly unknown[]): boolean {
  const now = entriesOfMap(object) ?? entriesOfSet(object);
  if (now?.length !== before.length) return false;
  for (let at = 0; at < before.length; at += 1) if (!is(now[at], before[at])) return false;
  return true;
}

function putBack(known: Known): boolean {
  const { object, keys, descriptors } = known;
  if (isExtensible(object) !== known.isExtensible) return false;
  if (!setPrototypeOf(object, known.prototype)) return false;
  const now = ownKeys(object);
  for (let at = 0; at < now.length; at += 1) {
    const key = now[at];
    if (key !== undefined && !isAmong(keys, key) && !deleteProperty(object, key)) return false;
  }
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at];
    const before = descriptors[at];
    if (key === undefined || before === undefined) continue;
    if (isSame(before, getOwnPropertyDescriptor(object, key))) continue;
    if (!defineProperty(object, key, before)) return false;
  }
  return known.entries === undefined || hasEntries(object, known.entries);
}

function isAmong(keys: readonly PropertyKey[], key: PropertyKey): boolean {
  return placeOf(keys, key) < keys.length;
}

/** The length of the list for a key that is not in it. */
function placeOf(keys: readonly PropertyKey[], key: PropertyKey): number {
  for (let at = 0; at < keys.length; at += 1) if (keys[at] === key) return at;
  return keys.length;
}
