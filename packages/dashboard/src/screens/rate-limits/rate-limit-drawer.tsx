import { type Rank, type RateLimit, ranks } from "../../data/observe/rate-limits.ts";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf } from "../connections/connection-words.ts";
import { numberText, ownerOf, RateLimitBadge } from "./rate-limit-columns.tsx";

/** One rate limit next to the list: its budget, and whose calls wait since when. */
export function RateLimitDrawer({
  limit,
  ...open
}: {
  limit: RateLimit;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { rateLimits: texts } = useTexts();
  return (
    <Drawer title={ownerOf(limit, texts)} {...open}>
      <p className="padded">
        <RateLimitBadge limit={limit} texts={texts} />
      </p>
      <About limit={limit} />
      <WhoWaits limit={limit} />
      <Connections limit={limit} />
    </Drawer>
  );
}

function About({ limit }: { limit: RateLimit }) {
  const { rateLimits: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { provider_config_key: integration, connection_id: id, resets_at: at } = limit;
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [texts.integration, plainText(integration)],
          [texts.scope, texts.scopes[limit.scope]],
          [
            texts.connection,
            id !== null && (
              <Go
                target={pageOf(environment, {
                  provider_config_key: integration,
                  connection_id: id,
                })}
              >
                {plainText(id, 80)}
              </Go>
            ),
          ],
          [texts.limit, numberText(limit.limit, texts)],
          [texts.remaining, numberText(limit.remaining, texts)],
          [texts.resets, at === null ? texts.unknown : <Time key="resets" at={at} />],
        ]}
      />
    </Card>
  );
}

function WhoWaits({ limit: { waiting, readAt } }: { limit: RateLimit }) {
  const { rateLimits: texts } = useTexts();
  const since = (rank: Rank) => new Date(readAt - waiting[rank].longest_wait_ms).toISOString();
  return (
    <Card title={texts.whoWaits}>
      <p className="soft padded">{texts.whoWaitsText}</p>
      <PlainTable
        label={texts.whoWaits}
        columns={[
          { header: texts.rank, cell: (rank: Rank) => texts.rankTexts[rank] },
          {
            header: texts.calls,
            isNumber: true,
            cell: (rank: Rank) => formatNumber(waiting[rank].calls),
          },
          {
            header: texts.since,
            cell: (rank: Rank) =>
              waiting[rank].calls === 0 ? texts.nobody : <Time at={since(rank)} />,
          },
          {
            header: texts.estimated,
            isNumber: true,
            cell: (rank: Rank) => formatSpan(waiting[rank].estimated_wait_ms),
          },
        ]}
        rows={ranks}
        keyOf={(rank) => rank}
      />
    </Card>
  );
}

function Connections({ limit }: { limit: RateLimit }) {
  const { rateLimits: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { provider_config_key: key, waiting_connections: waiting } = limit;
  if (waiting.length === 0) return null;
  return (
    <Card title={texts.connections}>
      <Facts
        rows={waiting.map(({ connection_id: id, calls }) => [
          plainText(id, 40),
          <Go
            key={id}
            target={pageOf(environment, { provider_config_key: key, connection_id: id })}
          >
            {texts.connectionCalls(formatNumber(calls))}
          </Go>,
        ])}
      />
    </Card>
  );
}
