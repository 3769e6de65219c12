// A thread that checks inputs by schemas of OpenAPI documents. It loads no more than that needs.
import { parentPort } from "node:worker_threads";
import { Ajv, type ValidateFunction } from "ajv";
import { LRUCache } from "lru-cache";

export interface CheckJob {
  /** The same only for the same schema. */
  readonly digest: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly input: unknown;
}

/** Undefined for an input that fits. */
export interface CheckAnswer {
  readonly fault: string | undefined;
}

const LONGEST_FAULT = 500;
// Process-wide: a schema is the same for all who have its digest.
const compiled = new LRUCache<string, ValidateFunction>({ max: 200 });

parentPort?.on("message", (job: CheckJob) => {
  parentPort?.postMessage({ fault: findFault(job) } satisfies CheckAnswer);
});

function findFault({ digest, schema, input }: CheckJob): string | undefined {
  const validate = compiled.get(digest) ?? compile(schema);
  compiled.set(digest, validate);
  if (validate(input)) return undefined;
  const [error] = validate.errors ?? [];
  const more = describeMore(error?.params ?? {});
  const place = error?.instancePath === "" ? "the input" : error?.instancePath;
  return `${place}: ${error?.message ?? "does not fit"}${more}`.slice(0, LONGEST_FAULT);
}

/** Formats are for who writes a value: documents have hundreds of their own. */
function compile(schema: CheckJob["schema"]): ValidateFunction {
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    logger: false,
    ownProperties: true,
  });
  return ajv.compile({ ...schema });
}

function describeMore(params: Readonly<Record<string, unknown>>): string {
  const { additionalProperty: name, allowedValues: values } = params;
  if (typeof name === "string") return `: ${name}`;
  return Array.isArray(values) ? `: ${JSON.stringify(values)}` : "";
}
