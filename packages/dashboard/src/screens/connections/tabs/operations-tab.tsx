import { useMemo } from "react";
import type { Connection } from "../../../data/connections.ts";
import { operationsQuery } from "../../../data/operations.ts";
import { Go } from "../../../parts/go.tsx";
import { InnerList } from "../../../parts/list/inner-list.tsx";
import { usePagedRows } from "../../../parts/list/rows.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { operationColumns } from "../../operations/operation-columns.tsx";
import { pageOf } from "../../operations/operation-words.ts";

const own = new Set(["integration", "connection"]);

/** What has happened with the connection, newest first; `most` rows, or all. */
export function OperationsTab({ connection, most }: { connection: Connection; most?: number }) {
  const { connections: texts, operations, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { provider_config_key: integrations, connection_id: connections } = connection;
  const filter = { integrations, connections };
  const list = usePagedRows(operationsQuery(environment, filter, "all"));
  const rows = useMemo(() => list.rows.slice(0, most), [list.rows, most]);
  const columns = useMemo(
    () => operationColumns(operations).filter(({ id }) => !own.has(id)),
    [operations],
  );
  const target = {
    to: `${homeOf(environment)}/operations`,
    search: { ...filter, range: "all" },
  };
  return (
    <InnerList
      id="connection-operations"
      title={most === undefined ? texts.tabs.operations : texts.timeline}
      actions={<Go target={target}>{tables.showAll}</Go>}
      list={{ ...list, rows, hasMore: most === undefined && list.hasMore }}
      columns={columns}
      keyOf={({ id }) => id}
      targetOf={({ id }) => pageOf(environment, id)}
      empty={operations.emptyTitle}
    />
  );
}
