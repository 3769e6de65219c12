import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import { spellingsOf } from "#gateway";
import { listRecords } from "./list-records.ts";
import { joinRecords, type ListingForm } from "./present-records.ts";

interface WantedRecord {
  readonly connection: ConnectionUuid;
  /** Name under which the model is stored. */
  readonly model: string;
  readonly id: string;
  /** Called when nothing was ever saved of the model; throws when the model does not exist. */
  readonly requireModel: () => Promise<void>;
}

const asOne: ListingForm = { head: "", between: "", after: "", tail: () => "" };

/** The answer with one record, deleted ones included; throws not_found. */
export async function readRecord(
  ctx: EnvironmentContext,
  { id, ...place }: WantedRecord,
): Promise<Buffer> {
  const all = { cursor: undefined, modifiedAfter: undefined, filter: undefined };
  const bounds = { limit: 1, maxBytes: undefined };
  for await (const { records } of listRecords(ctx, { ...place, ...all, ...bounds, ids: [id] })) {
    if (records.length === 0) break;
    const metadataKeys = spellingsOf(ctx, "_svc_metadata");
    return joinRecords(records, { form: asOne, head: '{"data":', tail: "}", metadataKeys });
  }
  throw new AppError("not_found", `The model has no record "${id}".`);
}
