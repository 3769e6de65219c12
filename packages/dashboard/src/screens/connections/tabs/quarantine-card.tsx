import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { Connection } from "../../../data/connections.ts";
import {
  type QuarantinedModel,
  quarantineQuery,
  samplesQuery,
} from "../../../data/records/quarantine.ts";
import { formatMoment, formatNumber, plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../../parts/plain-table.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";

type Reason = QuarantinedModel["reasons"][number];

/** Records that did not match their schema; nothing where there are none. */
export function QuarantineCard({ connection }: { connection: Connection }) {
  const { records: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:records:read");
  const query = useQuery({ ...quarantineQuery(environment, connection), enabled: may });
  if (query.isError) return <FaultBanner error={query.error} />;
  if (query.data === undefined || query.data.length === 0) return null;
  return (
    <Card title={texts.quarantine}>
      <div className="stack padded">
        <p className="soft">{texts.quarantineText}</p>
        {query.data.map((model) => (
          <Model key={`${model.model} ${model.variant}`} model={model} />
        ))}
      </div>
    </Card>
  );
}

function Model({ model }: { model: QuarantinedModel }) {
  const { records: texts, tables } = useTexts();
  const [isShown, setShown] = useState(false);
  const name = model.variant === "base" ? model.model : `${model.model}::${model.variant}`;
  const label = texts.quarantineOf(plainText(name), formatNumber(model.count));
  return (
    <section className="stack">
      <div>
        <h3>{label}</h3>
        <p>{texts.quarantineSince(formatMoment(model.since))}</p>
      </div>
      <PlainTable
        label={label}
        columns={[
          {
            header: texts.place,
            cell: ({ pointer }: Reason) => (
              <code>{pointer === "" ? texts.wholeRecord : plainText(pointer)}</code>
            ),
          },
          { header: texts.fault, cell: ({ code }: Reason) => plainText(code) },
          {
            header: texts.expected,
            cell: ({ expected }: Reason) => plainText(expected ?? tables.nothing),
          },
          {
            header: texts.received,
            cell: ({ received }: Reason) => plainText(received ?? tables.nothing),
          },
          {
            header: texts.live,
            isNumber: true,
            cell: ({ count }: Reason) => formatNumber(count),
          },
          {
            header: texts.lastSeen,
            cell: ({ last_seen_at: at }: Reason) => formatMoment(at),
          },
        ]}
        rows={model.reasons}
        keyOf={({ id }) => String(id)}
      />
      {isShown ? (
        <Samples model={model} />
      ) : (
        <div className="row">
          <Button className="button" onPress={() => setShown(true)}>
            {texts.showSamples}
          </Button>
        </div>
      )}
    </section>
  );
}

function Samples({ model }: { model: QuarantinedModel }) {
  const { records: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const { data, error, isLoading } = useQuery(samplesQuery(environment, model));
  if (isLoading) return <p role="status">{shell.loading}</p>;
  if (error !== null) return <FaultBanner error={error} />;
  if (data === undefined || data.length === 0) return <p className="soft">{texts.noSamples}</p>;
  return (
    <ul className="stack" aria-label={texts.samples}>
      {data.map(({ id, record }) => (
        <li key={id}>
          <details>
            <summary className="mono">{plainText(id, 80)}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
            <pre className="code" tabIndex={0}>
              {record === null ? texts.damaged : plainText(JSON.stringify(record, null, 2), 20_000)}
            </pre>
          </details>
        </li>
      ))}
    </ul>
  );
}
