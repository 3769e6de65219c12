import type { RunIdentity, RuntimeCall } from "#functions";
import type { EnvironmentContext } from "#platform";
import { CallError } from "#platform/sandbox";
import { deleteRecords } from "./delete-records.ts";
import type { RecordWriter } from "./hooks.ts";
import { storedModel } from "./model.ts";
import { saveRecords } from "./save-records.ts";
import { splitLines } from "./split-lines.ts";

/** Calls of running functions that this slice answers. */
export const recordRuntime = {
  batchSave: async (ctx: EnvironmentContext, { run, params, body }: RuntimeCall<"batchSave">) => {
    const { ids } = params;
    const lines = splitLines(body);
    const isWhole = lines.length === ids.length && lines.every(isObject);
    if (!isWhole || new Set(ids).size !== ids.length) {
      throw refuse("A batch of records needs one JSON object for each of its ids, each id once.");
    }
    const target = writeTarget(run, params.model);
    const { added, updated, unchanged } = await saveRecords(ctx, { ...target, ids, lines });
    return { value: { added, updated, unchanged } };
  },
  batchDelete: async (ctx: EnvironmentContext, { run, params }: RuntimeCall<"batchDelete">) => {
    const target = writeTarget(run, params.model);
    const { deleted } = await deleteRecords(ctx, { ...target, ids: params.ids });
    return { value: { deleted } };
  },
};

function writeTarget(run: RunIdentity, model: string) {
  if (run.fence === undefined) throw refuse(`A run of kind ${run.kind} saves no records.`);
  if (!run.models.includes(model)) {
    throw refuse(
      `Model "${model}" is not declared by this sync; its models: ${run.models.join(", ")}.`,
    );
  }
  const writer: RecordWriter = { runId: run.runId, fence: run.fence };
  return { connection: run.connection, model: storedModel(model, run.variant), writer };
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The listing splices metadata in before the last byte. */
function isObject(line: Uint8Array): boolean {
  return line.byteLength > 2 && line[0] === OPENING_BRACE && line.at(-1) === CLOSING_BRACE;
}

function refuse(message: string): CallError {
  return new CallError({ type: "invalid_sync_record", message });
}
