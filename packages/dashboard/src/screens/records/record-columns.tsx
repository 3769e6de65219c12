import type { SyncedRecord } from "../../data/records/records.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { plainText, shortenId } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";
import { contentOf, textOf } from "./record-words.ts";

const tones: Readonly<Record<SyncedRecord["_svc_metadata"]["last_action"], Tone>> = {
  ADDED: "good",
  UPDATED: "run",
  DELETED: "idle",
};

/** What last happened to a record, or that its content is gone. */
export function RecordBadge({ record, texts }: { record: SyncedRecord; texts: Texts["records"] }) {
  const { last_action: action, pruned_at: prunedAt } = record._svc_metadata;
  if (prunedAt !== null) return <Badge tone="warn">{texts.pruned}</Badge>;
  return <Badge tone={tones[action]}>{texts.actions[action]}</Badge>;
}

/** Columns of a list of records: id, what happened last, and the chosen fields. Deleted ones are struck through. */
export function recordColumns(
  texts: Texts["records"],
  fields: readonly string[],
): readonly Column<SyncedRecord>[] {
  return [
    {
      id: "id",
      header: texts.id,
      width: "minmax(176px, 0.8fr)",
      cell: (record) => (
        <span className={`mono ${lookOf(record)}`} title={record.id}>
          {plainText(shortenId(record.id, 22))}
        </span>
      ),
    },
    {
      id: "action",
      header: texts.action,
      width: "136px",
      cell: (record) => <RecordBadge record={record} texts={texts} />,
    },
    {
      id: "changed",
      header: texts.changed,
      width: "172px",
      cell: ({ _svc_metadata: { last_modified_at: at } }) => <Time at={at} />,
    },
    ...fields.map((field) => ({
      id: `field ${field}`,
      header: plainText(field, 40),
      width: "minmax(120px, 1fr)",
      cell: (record: SyncedRecord) => (
        <span className={lookOf(record)}>{plainText(textOf(contentOf(record)[field]))}</span>
      ),
    })),
  ];
}

function lookOf({ _svc_metadata: { deleted_at: deletedAt } }: SyncedRecord): string {
  return deletedAt === null ? "" : "struck";
}
