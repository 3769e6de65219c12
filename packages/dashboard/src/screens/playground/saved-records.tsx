import { formatNumber, plainText } from "../../parts/formats.ts";
import { PlainTable } from "../../parts/plain-table.tsx";
import { savedRecordsTexts } from "../../texts/functions/saved-records.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

const MOST_ROWS = 50;
const MOST_COLUMNS = 8;
const MOST_CHARACTERS = 200;
const hows = ["batchSave", "batchUpdate", "batchDelete"] as const;

/** Records that a dry run of a sync would have written, as tables: one for each model and what happens to it. */
export function SavedRecords({ result }: { result: unknown }) {
  return hows.flatMap((how) =>
    Object.entries(Object(Object(result)[how])).map(([model, batch]) => (
      <BatchTable key={`${how} ${model}`} how={how} model={model} batch={batch} />
    )),
  );
}

interface RecordRow {
  readonly record: unknown;
  readonly place: number;
}

function BatchTable({
  how,
  model,
  batch,
}: {
  how: (typeof hows)[number];
  model: string;
  batch: unknown;
}) {
  const texts = useTextsOf(savedRecordsTexts);
  const { count, records } = Object(batch);
  if (typeof count !== "number" || !Array.isArray(records)) return null;
  const rows = records
    .slice(0, MOST_ROWS)
    .map((record: unknown, place): RecordRow => ({ record, place }));
  const fields = [...new Set(rows.flatMap(({ record }) => Object.keys(Object(record))))];
  const shown = ["id", ...fields.filter((name) => name !== "id")].slice(0, MOST_COLUMNS);
  const others = fields.length - shown.length;
  const title = texts.how[how](plainText(model, 80), formatNumber(count));
  return (
    <>
      <p className="padded">
        {title}
        {". "}
        {count > rows.length && texts.shown(formatNumber(rows.length))}{" "}
        {others > 0 && texts.otherFields(formatNumber(others))}
      </p>
      <PlainTable
        label={title}
        rows={rows}
        keyOf={({ place }) => String(place)}
        columns={shown.map((name) => ({
          header: plainText(name, 60),
          cell: ({ record }: RecordRow) => textOf(Object(record)[name]),
        }))}
      />
    </>
  );
}

/** A value in one line. */
function textOf(value: unknown): string {
  if (value === undefined) return "";
  return plainText(typeof value === "string" ? value : JSON.stringify(value), MOST_CHARACTERS);
}
