import { useQuery } from "@tanstack/react-query";
import {
  type DeployedFunction,
  EGRESS_DAYS,
  egressQuery,
  type FunctionEgress,
  type FunctionName,
} from "../../data/functions/functions.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatBytes, formatNumber, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Where a function may send to, and what it sent. */
export function EgressTab({ own, name }: { own: DeployedFunction; name: FunctionName }) {
  const { functions: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(egressQuery(environment, name));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <p role="status">{shell.loading}</p>;
  const { hosts, connections } = query.data;
  const days = formatNumber(EGRESS_DAYS);
  return (
    <div className="columns">
      <div className="stack">
        <Sums
          title={texts.byHost(days)}
          header={texts.host}
          rows={hosts.map(({ host, sums }) => ({ name: host ?? texts.otherHosts, sums }))}
        />
        <Sums
          title={texts.byConnection(days)}
          header={texts.connection}
          rows={connections.map(({ connection_id: id, sums }) => ({
            name: id ?? texts.deletedConnection,
            sums,
          }))}
        />
      </div>
      <div className="stack">
        <Rule own={own} />
      </div>
    </div>
  );
}

function Rule({ own: { egress, credentials } }: { own: DeployedFunction }) {
  const { functions: texts } = useTexts();
  const isAny = egress === undefined || egress.includes("*");
  const named = (egress ?? []).map((host) =>
    host === "{integration}" ? texts.ownHosts : plainText(host, 300),
  );
  const hosts = isAny ? (
    <Badge tone="warn">{texts.anyHost}</Badge>
  ) : named.length === 0 ? (
    texts.noHost
  ) : (
    <ul className="plain">
      {named.map((host) => (
        <li key={host}>{host}</li>
      ))}
    </ul>
  );
  return (
    <Card title={texts.egressRule}>
      <Facts
        rows={[
          [texts.maySendTo, hosts],
          [texts.credentials, credentials === undefined ? texts.seesCredentials : texts.seesNone],
        ]}
      />
    </Card>
  );
}

interface Row {
  readonly name: string;
  readonly sums: FunctionEgress["total"];
}

function Sums({ title, header, rows }: { title: string; header: string; rows: readonly Row[] }) {
  const { functions: texts } = useTexts();
  const columns = [
    { header, cell: ({ name }: Row) => plainText(name, 300) },
    { header: texts.calls, cell: ({ sums }: Row) => formatNumber(sums.calls) },
    {
      header: texts.refused,
      cell: ({ sums: { refused } }: Row) =>
        refused === 0 ? "0" : <Badge tone="bad">{formatNumber(refused)}</Badge>,
    },
    { header: texts.sent, cell: ({ sums }: Row) => formatBytes(sums.bytes_sent) },
    { header: texts.received, cell: ({ sums }: Row) => formatBytes(sums.bytes_received) },
  ];
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <p className="soft padded">{texts.nothingLeft}</p>
      ) : (
        <PlainTable label={title} columns={columns} rows={rows} keyOf={({ name }) => name} />
      )}
    </Card>
  );
}
