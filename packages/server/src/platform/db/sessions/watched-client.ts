import pg from "pg";
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
        value: (...args: unknown[]) => watchQuery(plain, args, () => watch.begin(this)),
        writable: true,
        configurable: true,
      });
    }
  };
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
