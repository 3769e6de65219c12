import type { RuntimeParams } from "@jackfield/contract/runtime";
import { type Run, requireRunning } from "../run.ts";
import { sendLog } from "../write-log.ts";
import { requireModel } from "./require-model.ts";

type Merging = NonNullable<RuntimeParams<"batchSave">["merging"]>;
type SequenceRange = Merging["own"][number];

/** The host takes no more ranges; what falls out counts as changed by others. */
const MAX_RANGES = 1000;

interface Strategy {
  readonly merging: { readonly after: number; readonly own: SequenceRange[] } | undefined;
}

const strategies = new WeakMap<Run, Map<string, Strategy>>();

/**
 * With `ignore_if_modified_after`, records that another run changed after this call keep their values, so that a
 * long sync does not overwrite what a webhook delivered.
 */
export async function setMergingStrategy(
  run: Run,
  merging: { strategy?: unknown } | undefined,
  model: string,
): Promise<void> {
  requireRunning(run);
  requireModel(run, model);
  const strategy = merging?.strategy;
  if (strategy !== "override" && strategy !== "ignore_if_modified_after") {
    throw new TypeError(
      "setMergingStrategy: the strategy is `override` or `ignore_if_modified_after`.",
    );
  }
  const known = strategiesOf(run);
  if (known.has(model)) {
    const message = `The merging strategy of model ${model} is already set for this run; the second one was ignored.`;
    await sendLog(run, { level: "warn", message });
    return;
  }
  if (strategy === "override") {
    known.set(model, { merging: undefined });
    return;
  }
  const { value: after } = await run.channel.call("getRecordSequence", { model });
  known.set(model, { merging: { after, own: [] } });
}

/** What a write of this model tells the host; nothing unless a strategy asks for it. */
export function mergingOf(run: Run, model: string): { merging?: Merging } {
  const merging = strategies.get(run)?.get(model)?.merging;
  return merging === undefined ? {} : { merging: { after: merging.after, own: [...merging.own] } };
}

/** Remembers that this run made the changes of a range, so that it may change those records again. */
export function noteOwnChanges(run: Run, model: string, [after, until]: SequenceRange): void {
  const own = strategies.get(run)?.get(model)?.merging?.own;
  if (own === undefined || after === until) return;
  const last = own.at(-1);
  if (last !== undefined && last[1] === after) last[1] = until;
  else own.push([after, until]);
  if (own.length > MAX_RANGES) own.shift();
}

function strategiesOf(run: Run): Map<string, Strategy> {
  const known = strategies.get(run);
  if (known !== undefined) return known;
  const fresh = new Map<string, Strategy>();
  strategies.set(run, fresh);
  return fresh;
}

/** The stored record with the change over it: objects are merged at every depth, everything else is replaced. */
export function mergeDeep(stored: unknown, change: unknown): unknown {
  if (!isPlainObject(stored) || !isPlainObject(change)) return change;
  const merged = new Map<string, unknown>(Object.entries(stored));
  for (const [name, value] of Object.entries(change)) {
    if (value !== undefined) merged.set(name, mergeDeep(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !("toJSON" in value && typeof value.toJSON === "function");
}
