import type { Jackfield } from "../index.ts";

/** A call that was written for one method, and can be made by another with the same arguments. */
export interface RecordedCall {
  /** `namespace.method`, or the name alone of a method of the client itself. */
  readonly path: string;
  make(client: Jackfield, path: string): Promise<unknown>;
}

/** Notes what a sample call would call, without calling it. */
export function recordCall(call: (client: Jackfield) => Promise<unknown>): RecordedCall {
  const made = { path: "", given: [] as readonly unknown[] };
  const record = (path: string): object =>
    new Proxy(() => {}, {
      get: (_target, name) => record(path === "" ? String(name) : `${path}.${String(name)}`),
      apply: (_target, _this, given) => {
        Object.assign(made, { path, given });
        return Promise.resolve();
      },
    });
  void call(asClient(record("")));
  return {
    path: made.path,
    async make(client, path) {
      const [name = "", method] = path.split(".");
      const found: object = Reflect.get(client, name);
      const owner = method === undefined ? client : found;
      const wanted = method === undefined ? found : Reflect.get(found, method);
      return await Reflect.apply(asMethod(wanted), owner, made.given);
    },
  };
}

// It has every property, and each of them can be called.
function asClient(recorder: object): Jackfield {
  return recorder as Jackfield;
}

type Method = (...given: unknown[]) => Promise<unknown>;

// The paths come from the table of the client's methods.
function asMethod(value: unknown): Method {
  return value as Method;
}
