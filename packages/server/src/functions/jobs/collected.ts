type Fields = Readonly<Record<string, unknown>>;
type How = "saved" | "updated" | "deleted";

const KEPT_PER_MODEL = 1000;
const KEPT_BYTES = 8 * 1024 * 1024;

/** Order numbers that nothing was given. */
export const NO_RANGE: readonly [number, number] = [0, 0];

interface Batch {
  count: number;
  readonly kept: unknown[];
}

const callNames = { saved: "batchSave", updated: "batchUpdate", deleted: "batchDelete" } as const;

/** Records that a dry run would have written: all are counted, the first of each model are kept. */
export class Collected {
  readonly #batches = new Map<How, Map<string, Batch>>();
  #bytes = 0;

  /** Adds what a call of the records runtime brings; the answer is that of a run which kept it. */
  add(how: How, { model, ids }: Fields, body: Uint8Array): Fields {
    const keys = Array.isArray(ids) ? ids.map(String) : [];
    const models = this.#batches.get(how) ?? new Map<string, Batch>();
    this.#batches.set(how, models);
    const name = String(model);
    const batch = models.get(name) ?? { count: 0, kept: [] };
    models.set(name, batch);
    batch.count += keys.length;
    const room = KEPT_PER_MODEL - batch.kept.length;
    if (room > 0 && this.#bytes + body.byteLength <= KEPT_BYTES) {
      this.#bytes += body.byteLength;
      batch.kept.push(...readRecords(body, keys).slice(0, room));
    }
    const count = keys.length;
    if (how === "deleted") return { deleted: count, range: NO_RANGE };
    if (how === "updated") return { updated: count, unchanged: 0, conflicts: [], range: NO_RANGE };
    return { added: count, updated: 0, unchanged: 0, range: NO_RANGE };
  }

  /** `{batchSave: {Contact: {count, records}}, …}`. */
  present(): Fields {
    return Object.fromEntries(
      [...this.#batches].map(([how, models]) => [
        callNames[how],
        Object.fromEntries(
          [...models].map(([model, { count, kept }]) => [model, { count, records: kept }]),
        ),
      ]),
    );
  }

  summarize(): string[] {
    return [...this.#batches].flatMap(([how, models]) =>
      [...models].map(([model, { count }]) => `${model}: ${count} would be ${how}.`),
    );
  }
}

/** One line of JSON for each record, or only ids where a call sends nothing else. */
function readRecords(body: Uint8Array, ids: readonly string[]): unknown[] {
  if (body.byteLength === 0) return ids.map((id) => ({ id }));
  return Buffer.from(body)
    .toString("utf8")
    .split("\n")
    .map((line) => {
      try {
        return JSON.parse(line);
      } catch {
        return null;
      }
    });
}
