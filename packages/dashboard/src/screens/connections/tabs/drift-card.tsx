import { useQuery } from "@tanstack/react-query";
import type { Connection } from "../../../data/connections.ts";
import { type DriftModel, driftQuery } from "../../../data/records/drift.ts";
import { formatMoment, formatNumber, formatShare, plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../../parts/plain-table.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";

type Field = DriftModel["fields"][number];

/** Fields that differ from their schema or from before; nothing where there are none. */
export function DriftCard({ connection }: { connection: Connection }) {
  const { drift: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:records:read");
  const query = useQuery({ ...driftQuery(environment, connection), enabled: may });
  if (query.isError) return <FaultBanner error={query.error} />;
  const drifted = query.data?.filter(({ fields }) => fields.length > 0) ?? [];
  if (drifted.length === 0) return null;
  return (
    <Card title={texts.title}>
      <div className="stack padded">
        <p className="soft">{texts.text}</p>
        {drifted.map((model) => (
          <Model key={`${model.model} ${model.variant}`} model={model} />
        ))}
      </div>
    </Card>
  );
}

function Model({ model }: { model: DriftModel }) {
  const { drift: texts, tables } = useTexts();
  const name = model.variant === "base" ? model.model : `${model.model}::${model.variant}`;
  const label = texts.ofModel(plainText(name), formatNumber(model.sampled_records));
  return (
    <section>
      <h3>{label}</h3>
      <PlainTable
        label={label}
        columns={[
          {
            header: texts.field,
            cell: ({ pointer }: Field) => <code>{plainText(pointer)}</code>,
          },
          {
            header: texts.finding,
            cell: ({ findings }: Field) => findings.map((each) => texts.findings[each]).join(", "),
          },
          {
            header: texts.types,
            cell: ({ types }: Field) =>
              types.map(({ type, count }) => `${type} (${formatNumber(count)})`).join(", "),
          },
          {
            header: texts.expected,
            cell: ({ expected }: Field) => expected?.join(", ") ?? tables.nothing,
          },
          {
            header: texts.nulls,
            isNumber: true,
            cell: ({ null_share: share }: Field) =>
              share === null ? tables.nothing : formatShare(share),
          },
          {
            header: texts.firstSeen,
            cell: ({ first_seen_at: at }: Field) => formatMoment(at),
          },
        ]}
        rows={model.fields}
        keyOf={({ pointer }) => pointer}
      />
    </section>
  );
}
