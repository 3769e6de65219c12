import pg from "pg";
import { SECOND } from "../../clock.ts";
import type { StatementWatch } from "../statements/statement-watch.ts";

type AnyFunction = (...args: unknown[]) => unknown;

/** A class of pg's client, all of whose statements are watched, those too that its pool sends before it hands it out. */
export function watchedClient(watch: StatementWatch): new (config?: pg.ClientConfig) => pg.Client {
  return class WatchedClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      const plain: AnyFunction = this.query.bind(this);
      // A property, since pg's own method has more forms than a typed override can have.
      Object.defineProperty(this, "query", {
        value: (...args: unknown[]) => {
          const text = textOf(args[0]);
          if (beginsTimeout(text)) timeouts.set(this, readTimeout(text));
          const timeoutMs = timeouts.get(this);
          // Of the transaction that set it.
          if (timeoutMs !== undefined && ENDS.test(text)) timeouts.delete(this);
          return watchQuery(plain, args, () => watch.begin(this, timeoutMs));
        },
        writable: true,
        configurable: true,
      });
    }
  };
}

// Process-wide: a connection belongs to one server.
const timeouts = new WeakMap<pg.ClientBase, number>();

const TIMEOUT = "set local statement_timeout";
const ENDS = /^(?:commit|rollback)$/i;

function textOf(query: unknown): string {
  if (typeof query === "string") return query;
  const isNamed = typeof query === "object" && query !== null && "text" in query;
  return isNamed && typeof query.text === "string" ? query.text : "";
}

function beginsTimeout(text: string): boolean {
  return text.startsWith(TIMEOUT);
}

/** Milliseconds, unless it names seconds; 0 is none. */
function readTimeout(text: string): number {
  const [, count = "0", unit] = /= *'?(\d+)(s?)/.exec(text) ?? [];
  const ms = Number(count) * (unit === "s" ? SECOND : 1);
  return ms === 0 ? Number.POSITIVE_INFINITY : ms;
}

/** Statements are answered by a promise or a callback; what drives a query of its own is watched where it is made. */
function watchQuery(plain: AnyFunction, args: unknown[], begin: () => () => void): unknown {
  const [first] = args;
  if (typeof first === "object" && first !== null && "submit" in first) return plain(...args);
  const end = begin();
  const callback = args.at(-1);
  if (isFunction(callback)) {
    const answered = (...answer: unknown[]) => {
      end();
      callback(...answer);
    };
    return plain(...args.slice(0, -1), answered);
  }
  const answer = plain(...args);
  if (answer instanceof Promise) answer.then(end, end);
  else end();
  return answer;
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === "function";
}
