import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Connection } from "../../data/connections.ts";
import { operationsQuery } from "../../data/operations.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { DataTable } from "../../parts/table/data-table.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { operationColumns } from "../operations/operation-columns.tsx";
import { pageOf } from "../operations/operation-words.ts";

/** What has happened with the connection, newest first; `most` rows, or all. */
export function OperationsTab({ connection, most }: { connection: Connection; most?: number }) {
  const { connections: texts, operations, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { provider_config_key: integration, connection_id: id } = connection;
  const filter = { integrations: integration, connections: id };
  const list = useInfiniteQuery(operationsQuery(environment, filter, () => undefined, "all"));
  const rows = useMemo(
    () => list.data?.pages.flatMap(({ data }) => data).slice(0, most) ?? [],
    [list.data, most],
  );
  const columns = useMemo(
    () =>
      operationColumns(operations).filter(
        ({ id: name }) => !["integration", "connection"].includes(name),
      ),
    [operations],
  );
  const target = {
    to: `/${encodeURIComponent(environment)}/operations`,
    search: { ...filter, range: "all" },
  };
  return (
    <Card
      title={most === undefined ? texts.tabs.operations : texts.timeline}
      actions={<Go target={target}>{tables.showAll}</Go>}
    >
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      <div className={most === undefined && rows.length > 12 ? "inner-table tall" : "inner-table"}>
        <DataTable
          id="connection-operations"
          label={texts.tabs.operations}
          columns={columns}
          rows={rows}
          keyOf={(row) => row.id}
          targetOf={(row) => pageOf(environment, row.id)}
          isLoading={list.isLoading}
          hasMore={most === undefined && list.hasNextPage}
          onEnd={() => void list.fetchNextPage()}
          empty={<Empty title={operations.emptyTitle} />}
        />
      </div>
    </Card>
  );
}
