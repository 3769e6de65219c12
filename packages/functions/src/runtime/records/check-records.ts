import { describeIssues, findIssues } from "../check-value.ts";
import type { Issue, Run, ValueSchema } from "../run.ts";
import { RunFailure } from "../run-failure.ts";
import { sendLog } from "../write-log.ts";
import { type Misfit, quarantineRecords } from "./quarantine-records.ts";
import type { StoredRecord } from "./record-lines.ts";

const SHOWN_RECORDS = 5;
/** How the quarantine names what the schema itself could not look at, such as too many levels. */
const CHECK_FAILED: Issue = { path: [], message: "it could not be checked", code: "check_failed" };

type Mode = Run["facts"]["validation"]["records"];

/**
 * The records that may be saved. One warning or one failure for the whole call names the first that do not fit; where
 * they are quarantined, they are left out.
 */
export async function checkRecords<Stored extends StoredRecord>(
  run: Run,
  batch: { model: string; schema: ValueSchema; records: readonly Stored[] },
): Promise<readonly Stored[]> {
  const mode = modeOf(run);
  if (mode === "off") return batch.records;
  const misfits: (Misfit & { issues: readonly Issue[] })[] = [];
  for (const record of batch.records) {
    const issues = await findIssuesOf(record, batch.schema, mode);
    const [issue] = issues;
    if (issue !== undefined) misfits.push({ record, issue, issues });
  }
  if (misfits.length === 0) return batch.records;
  const { model } = batch;
  const count = `${misfits.length} of ${batch.records.length} records`;
  const message = `${count} do not match the schema of model ${model}${mode === "quarantine" ? " and were quarantined" : ""}.`;
  const validation = misfits
    .slice(0, SHOWN_RECORDS)
    .map(({ record, issues }) => ({ id: record.id, issues: describeIssues(issues) }));
  if (mode === "fail") throw toFailure(message, { model, validation });
  const meta = { model, validation };
  if (mode === "warn") {
    const mismatch = { what: "records", model } as const;
    await sendLog(run, { level: "warn", message, meta, mismatch });
    return batch.records;
  }
  await quarantineRecords(run, model, misfits);
  await sendLog(run, { level: "warn", message, meta });
  const left = new Set(misfits.map(({ record }) => record.id));
  return batch.records.filter(({ id }) => !left.has(id));
}

/** A dry run does as it was asked to: nothing is saved anyway, and nothing quarantined. */
function modeOf({ facts, schemas }: Run): Mode {
  const { records } = facts.validation;
  if (facts.isDryRun === true) return records === "quarantine" ? "warn" : records;
  const { onInvalidRecord } = schemas;
  return onInvalidRecord === "save" ? "warn" : (onInvalidRecord ?? records);
}

async function findIssuesOf(
  { fields }: StoredRecord,
  schema: ValueSchema,
  mode: Mode,
): Promise<readonly Issue[]> {
  if (mode !== "quarantine") return await findIssues(schema, fields);
  try {
    return await findIssues(schema, fields);
  } catch {
    return [CHECK_FAILED];
  }
}

function toFailure(
  message: string,
  payload: { model: string; validation: { id: string; issues: string }[] },
): RunFailure {
  const [first] = payload.validation;
  return new RunFailure({
    type: "script_internal_error",
    message: `${message} Record "${first?.id}": ${first?.issues}`,
    payload,
  });
}
