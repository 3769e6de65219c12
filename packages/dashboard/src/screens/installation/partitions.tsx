import type { Installation } from "../../data/observe/installation.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatBytes, formatNumber, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { installationTexts } from "../../texts/screens/installation.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

type Table = Installation["partitions"][number];

/** Tables that are partitioned by day: which days they have, and what is not as it should be. */
export function Partitions({ partitions }: Pick<Installation, "partitions">) {
  const texts = useTextsOf(installationTexts);
  const columns = [
    { header: texts.table, cell: ({ table }: Table) => <code>{plainText(table)}</code> },
    {
      header: texts.days,
      cell: ({ days, first_day: first, last_day: last }: Table) =>
        first === null || last === null
          ? texts.none
          : texts.daysOf(formatNumber(days), first, last),
    },
    {
      header: texts.state,
      cell: ({ missing_days: missing }: Table) => (
        <Badge tone={missing.length === 0 ? "good" : "bad"}>
          {missing.length === 0 ? texts.complete : texts.missingDays(missing.join(", "))}
        </Badge>
      ),
    },
    {
      header: texts.defaultPartition,
      cell: ({ default_is_empty: isEmpty }: Table) => (isEmpty ? texts.empty : texts.notEmpty),
    },
    { header: texts.size, isNumber: true, cell: ({ bytes }: Table) => formatBytes(bytes) },
  ];
  return (
    <Card title={texts.partitions}>
      <PlainTable
        label={texts.partitions}
        columns={columns}
        rows={partitions}
        keyOf={({ table }) => table}
      />
    </Card>
  );
}
