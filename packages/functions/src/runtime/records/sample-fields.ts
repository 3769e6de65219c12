import { functionLimits } from "@jackfield/contract/function-limits";
import type { RuntimeParams } from "@jackfield/contract/runtime";
import type { Run } from "../run.ts";
import { isFieldName } from "./field-pointer.ts";
import type { StoredRecord } from "./record-lines.ts";

type Fields = NonNullable<RuntimeParams<"batchSave">["fields"]>;
type FieldType = Fields[number]["type"];

const MAX_FIELDS = functionLimits.driftFields.value;
const MAX_ROWS = 2 * MAX_FIELDS;
const MAX_DEPTH = functionLimits.driftDepth.value;
const MAX_SAMPLES = functionLimits.driftSamples.value;
const FEWEST_SAMPLES = 20;
const ONE_RECORD_OF = 50;
const MAX_POINTER = functionLimits.driftPointer.value;
const ITEMS_OF_LIST = 3;
/** Values of one record that are looked at, so that a map with a million keys costs no more than any record. */
const VALUES_OF_RECORD = 1000;
/** After so many samples of a model a run takes one of few calls: those of one record each would all be sampled. */
const EVERY_CALL_UNTIL = 200;
const ONE_CALL_OF = 20;

const counters = new WeakMap<Run, Map<string, { samples: number; calls: number }>>();

/** Which fields some of the records have, by type; undefined where this call is not sampled. */
export function sampleFields(
  run: Run,
  model: string,
  records: readonly StoredRecord[],
): Fields | undefined {
  if (run.facts.isDryRun === true || records.length === 0) return undefined;
  const counter = counterOf(run, model);
  counter.calls += 1;
  if (counter.samples >= EVERY_CALL_UNTIL && counter.calls % ONE_CALL_OF !== 0) return undefined;
  const sample = new Sample();
  const wanted = Math.min(MAX_SAMPLES, Math.max(FEWEST_SAMPLES, records.length / ONE_RECORD_OF));
  const step = Math.max(1, Math.ceil(records.length / wanted));
  for (let at = 0; at < records.length; at += step) {
    const record = records[at];
    if (record === undefined) break;
    sample.add(record.fields);
    counter.samples += 1;
  }
  return sample.list();
}

function counterOf(run: Run, model: string) {
  const known = counters.get(run) ?? new Map<string, { samples: number; calls: number }>();
  counters.set(run, known);
  const counter = known.get(model) ?? { samples: 0, calls: 0 };
  known.set(model, counter);
  return counter;
}

class Sample {
  readonly #counts = new Map<string, Map<FieldType, number>>();
  #left = 0;

  /** A record whose fields cannot be read is saved or refused by what comes next. */
  add(fields: object): void {
    this.#left = VALUES_OF_RECORD;
    try {
      this.#walk(fields, "", 0);
    } catch {
      return;
    }
  }

  list(): Fields {
    const rows: Fields = [];
    for (const [pointer, types] of this.#counts) {
      for (const [type, count] of types) {
        if (rows.length < MAX_ROWS) rows.push({ pointer, type, count });
      }
    }
    return rows;
  }

  #walk(value: unknown, pointer: string, depth: number): void {
    this.#left -= 1;
    const type = this.#left < 0 ? undefined : typeOf(value);
    if (type === undefined || !this.#count(pointer, type) || depth === MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, ITEMS_OF_LIST)) {
        this.#walk(item, `${pointer}/*`, depth + 1);
      }
    } else if (type === "object") {
      for (const name in Object(value)) {
        if (this.#left <= 0) return;
        if (!Object.hasOwn(Object(value), name)) continue;
        const segment = isFieldName(name) ? name : "*";
        this.#walk(Reflect.get(Object(value), name), `${pointer}/${segment}`, depth + 1);
      }
    }
  }

  #count(pointer: string, type: FieldType): boolean {
    let types = this.#counts.get(pointer);
    if (types === undefined) {
      if (this.#counts.size >= MAX_FIELDS || pointer.length > MAX_POINTER) return false;
      types = new Map();
      this.#counts.set(pointer, types);
    }
    types.set(type, (types.get(type) ?? 0) + 1);
    return true;
  }
}

/** As JSON has it; undefined for what JSON leaves out. */
function typeOf(value: unknown): FieldType | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      // A Date becomes text; what else writes itself is not called for a sample.
      return "toJSON" in value ? "string" : "object";
    default:
      return undefined;
  }
}
