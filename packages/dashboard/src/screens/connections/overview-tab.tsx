import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Connection } from "../../data/connections.ts";
import { syncsQuery } from "../../data/syncs.ts";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { DataTable } from "../../parts/table/data-table.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { operationsOf, syncColumns } from "../syncs/sync-columns.tsx";
import { customerOf } from "./connection-words.ts";
import { OperationsTab } from "./operations-tab.tsx";

const LATEST = 10;
const shown = new Set(["sync", "state", "last", "next", "reason"]);

/** Syncs and latest operations of a connection, and what is known of it. */
export function OverviewTab({ connection }: { connection: Connection }) {
  return (
    <div className="columns">
      <div className="stack">
        <Syncs connection={connection} />
        <OperationsTab connection={connection} most={LATEST} />
      </div>
      <div className="stack">
        <About connection={connection} />
        <Credentials connection={connection} />
      </div>
    </div>
  );
}

function Syncs({ connection }: { connection: Connection }) {
  const { connections: texts, syncs } = useTexts();
  const { name: environment } = useEnvironment();
  const { provider_config_key, connection_id } = connection;
  const list = useInfiniteQuery(syncsQuery(environment, { provider_config_key, connection_id }));
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const columns = useMemo(() => syncColumns(syncs).filter(({ id }) => shown.has(id)), [syncs]);
  return (
    <Card title={texts.syncs}>
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && rows.length === 0 && <Empty title={texts.noSyncs} />}
      {rows.length > 0 && (
        <div className="inner-table">
          <DataTable
            id="connection-syncs"
            label={texts.syncs}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            targetOf={(sync) => operationsOf(environment, sync)}
            isLoading={list.isLoading}
            hasMore={list.hasNextPage}
            onEnd={() => void list.fetchNextPage()}
            empty={null}
          />
        </div>
      )}
    </Card>
  );
}

function About({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const { tags, end_user: endUser } = connection;
  const organization = endUser?.organization?.display_name ?? tags["organization_id"];
  const tagList = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [
            texts.id,
            <span className="mono" key="id">
              {plainText(connection.connection_id)}
            </span>,
          ],
          [texts.customer, plainText(customerOf(connection))],
          [texts.organization, plainText(organization ?? "")],
          [texts.account, plainText(connection.health?.account_identity ?? "")],
          [texts.created, formatDay(connection.created_at)],
          [texts.updated, formatDay(connection.updated_at)],
          [
            texts.lastUsed,
            connection.last_fetched_at === null
              ? texts.never
              : formatDay(connection.last_fetched_at),
          ],
          [
            texts.tags,
            tagList.length === 0 ? undefined : (
              <span className="mono" key="tags">
                {plainText(tagList.join(" "), 600)}
              </span>
            ),
          ],
        ]}
      />
    </Card>
  );
}

function Credentials({ connection: { health } }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  if (health === undefined) return null;
  const day = (at: string | null) => (at === null ? undefined : formatDay(at));
  return (
    <Card title={texts.credentials}>
      <Facts
        rows={[
          [texts.expires, day(health.expires_at) ?? texts.noExpiry],
          [texts.lastRefreshed, day(health.last_refreshed_at)],
          [texts.nextRefresh, day(health.next_refresh_at)],
          [texts.scopes, health.scopes_granted?.join(", ")],
        ]}
      />
    </Card>
  );
}
