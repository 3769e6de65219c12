import {
  addMs,
  type ConnectionUuid,
  type EnvironmentContext,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer, type Db } from "#foundation/db";
import { FIELDS_KEPT_MS, type FieldSample } from "./profile.ts";
import { addSamples, type DriftSample, deleteDriftBefore, keyOf } from "./store.ts";

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

/** Models of one environment that wait; samples of others are left out, of which there will be more. */
const MOST_MODELS = 200;
/** Of all models of the process, about 10 MB. */
const MOST_FIELDS = 100_000;
/** Models of one statement. */
const MODELS_AT_ONCE = 50;

const buffers = serverState(({ log }: Pick<EnvironmentContext, "log">) => {
  const waiting = { fields: 0 };
  const buffer = new CountBuffer<DriftSample>({
    log,
    keyOf,
    add: (known, sample) => ({ ...sample, fields: joinSamples(known.fields, sample.fields) }),
    group: { of: ({ environmentId }) => environmentId, mostWaiting: MOST_MODELS },
    write: async (db: Db, samples) => {
      await addSamples(db, samples);
      waiting.fields = 0;
    },
    rowsAtOnce: MODELS_AT_ONCE,
    delayed: "records.drift_delayed",
  });
  return { buffer, waiting };
});

/** Notes which fields some of the records of a write had; nothing is written yet. */
export function noteFields(
  ctx: EnvironmentContext,
  noted: { connection: ConnectionUuid; model: string; fields: FieldSample | undefined },
): void {
  const { connection, model, fields } = noted;
  if (fields === undefined || fields.length === 0) return;
  const { buffer, waiting } = buffers.of(ctx);
  if (waiting.fields + fields.length > MOST_FIELDS) return;
  waiting.fields += fields.length;
  const atMs = ctx.clock.now().getTime();
  buffer.add(ctx.db, { environmentId: ctx.environment.id, connection, model, fields, atMs });
}

function joinSamples(known: FieldSample, added: FieldSample): FieldSample {
  const counts = new Map<string, FieldSample[number]>();
  for (const field of [...known, ...added]) {
    const key = `${field.type} ${field.pointer}`;
    const { count = 0 } = counts.get(key) ?? {};
    counts.set(key, { ...field, count: count + field.count });
  }
  return [...counts.values()];
}

/** Writes what waits; called at shutdown, and before this process answers with it. */
export async function flushDrift(ctx: Owner): Promise<void> {
  await buffers.of(ctx).buffer.flush();
}

/** Runs daily. */
export async function expireDrift(ctx: SystemContext): Promise<void> {
  await deleteDriftBefore(ctx.db, addMs(ctx.clock.now(), -FIELDS_KEPT_MS));
}
