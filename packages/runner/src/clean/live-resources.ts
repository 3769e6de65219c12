import { asyncWrapProviders, createHook } from "node:async_hooks";
import { ownKeys } from "./kept.ts";

/** Kept from the start, for a function may put others in their place. */
const stopTimer = clearTimeout;
const stopImmediate = clearImmediate;
const { WeakRef: Reference } = globalThis;
const { deref } = Reference.prototype;
const isNative: Record<string, boolean> = Object.create(null);
for (const name of Object.keys(asyncWrapProviders)) isNative[name] = true;
/** The pipe to the host writes with these all the time. */
for (const name of ["WRITEWRAP", "SHUTDOWNWRAP", "PIPEWRAP"]) isNative[name] = false;

interface Resource {
  readonly type: string;
  readonly held: object;
}

/**
 * What may call code of a function later: its timers, and work that Node does for it outside of JavaScript. Promises
 * are left out; one that waits for nothing of these never continues.
 */
export class LiveResources {
  /** By async id; without a prototype, since a function shares this process's built-ins. */
  readonly #live: Record<number, Resource> = Object.create(null);

  watch(): void {
    const live = this.#live;
    createHook({
      trackPromises: false,
      init: (id, type, _trigger, held: object) => {
        if (type === "Timeout" || type === "Immediate") live[id] = { type, held };
        // A native one ends when it is collected, so that it must not be held.
        else if (isNative[type] === true) live[id] = { type, held: new Reference(held) };
      },
      destroy: (id) => {
        delete live[id];
      },
    }).enable();
  }

  /** Ends all timers; false when something continues that cannot be ended. */
  stop(): boolean {
    const ids = ownKeys(this.#live);
    for (let at = 0; at < ids.length; at += 1) {
      const id = Number(ids[at]);
      const resource = this.#live[id];
      if (resource === undefined) continue;
      const { type, held } = resource;
      if (type === "Timeout") stopTimer(toTimeout(held));
      else if (type === "Immediate") stopImmediate(toImmediate(held));
      else if (isAtWork(type, held)) return false;
      delete this.#live[id];
    }
    return true;
  }
}

/** A compressor that is done stays until it is collected. */
function isAtWork(type: string, held: object): boolean {
  const resource: unknown = Reflect.apply(deref, held, []);
  if (type !== "ZLIB") return true;
  return (
    typeof resource === "object" &&
    resource !== null &&
    "buffer" in resource &&
    resource.buffer !== null
  );
}

/** The resource of type Timeout is the timer itself. */
function toTimeout(held: object): NodeJS.Timeout {
  return held as NodeJS.Timeout;
}

/** The resource of type Immediate is the immediate itself. */
function toImmediate(held: object): NodeJS.Immediate {
  return held as NodeJS.Immediate;
}
