import type { RecordModel } from "../../data/records/records.ts";
import {
  formatBytes,
  formatNumber,
  formatShortDay,
  plainText,
  shortenId,
} from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import type { Texts } from "../../texts/english.ts";
import { nameOf } from "./record-words.ts";

/** Columns of every list of models. */
export function modelColumns(texts: Texts["records"]): readonly Column<RecordModel>[] {
  return [
    {
      id: "model",
      header: texts.model,
      width: "minmax(140px, 1fr)",
      cell: (row) => <span className="mono">{plainText(nameOf(row))}</span>,
    },
    {
      id: "live",
      header: texts.live,
      width: "100px",
      isNumber: true,
      cell: ({ live_count: count }) => formatNumber(count),
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(110px, 1fr)",
      cell: ({ provider_config_key: key }) => plainText(key),
    },
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(160px, 1fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 18))}
        </span>
      ),
    },
    {
      id: "changed",
      header: texts.changed,
      width: "130px",
      cell: ({ last_modified_at: at }) => (
        <time dateTime={at} title={at}>
          {formatShortDay(at)}
        </time>
      ),
    },
    {
      id: "size",
      header: texts.size,
      width: "100px",
      isNumber: true,
      cell: ({ bytes }) => (bytes === null ? texts.notCounted : formatBytes(bytes)),
    },
    {
      id: "largest",
      header: texts.largest,
      width: "126px",
      isNumber: true,
      cell: ({ largest_record_bytes: bytes }) => formatBytes(bytes),
    },
    {
      id: "refused",
      header: texts.refused,
      width: "126px",
      isNumber: true,
      cell: ({ refused_deletes: count }) =>
        count === null ? "" : <span className="fault">{formatNumber(count)}</span>,
    },
  ];
}
