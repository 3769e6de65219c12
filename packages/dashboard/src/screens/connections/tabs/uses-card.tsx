import { useInfiniteQuery } from "@tanstack/react-query";
import type { Connection } from "../../../data/connections.ts";
import { type ConnectionUse, connectionUsesQuery } from "../../../data/environment/revocations.ts";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../../parts/plain-table.tsx";
import { Time } from "../../../parts/time.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { revocationTexts } from "../../../texts/screens/revocations.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import {
  AgentSessionLink,
  ApiKeyLink,
  PersonLink,
} from "../../revocations/users-of-connections.tsx";

/** Who has used or read the connection's credentials, the latest first. */
export function UsesCard({ connection }: { connection: Connection }) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  const { provider_config_key: integration, connection_id: id } = connection;
  const uses = useInfiniteQuery(connectionUsesQuery(environment, { integration, id }));
  const rows = uses.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card title={texts.uses}>
      {uses.isError && <FaultBanner error={uses.error} onRetry={() => void uses.refetch()} />}
      {uses.isSuccess && rows.length === 0 && <p className="soft padded">{texts.usesNone}</p>}
      {rows.length > 0 && (
        <PlainTable
          label={texts.uses}
          rows={rows}
          keyOf={({ kind, id, name, way }) => [kind, way, id, name].join(" ")}
          columns={[
            { header: texts.who, cell: (use) => <Who use={use} /> },
            { header: texts.how, cell: ({ way }) => texts.ways[way] },
            { header: texts.count, isNumber: true, cell: ({ uses: count }) => formatNumber(count) },
            { header: texts.first, cell: ({ first_used_at: at }) => <Time at={at} /> },
            { header: texts.last, cell: ({ last_used_at: at }) => <Time at={at} /> },
          ]}
        />
      )}
    </Card>
  );
}

function Who({ use }: { use: ConnectionUse }) {
  const texts = useTextsOf(revocationTexts);
  return (
    <>
      {texts.useKinds[use.kind]} <WhoLink use={use} />
    </>
  );
}

function WhoLink({ use: { kind, name, id } }: { use: ConnectionUse }) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  if (kind === "function" && name !== null) {
    const target = {
      to: `${homeOf(environment)}/functions`,
      search: { q: name },
    };
    return <Go target={target}>{plainText(name, 80)}</Go>;
  }
  if (id === null) return texts.others;
  if (kind === "agent") return <AgentSessionLink id={id} />;
  if (kind === "user") return <PersonLink id={id} name={name} />;
  return <ApiKeyLink id={id} />;
}
