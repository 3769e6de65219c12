import { useMemo } from "react";
import type { Connection } from "../../../data/connections.ts";
import { syncsQuery } from "../../../data/syncs.ts";
import { Go } from "../../../parts/go.tsx";
import { InnerList } from "../../../parts/list/inner-list.tsx";
import { usePagedRows } from "../../../parts/list/rows.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { syncColumns } from "../../syncs/sync-columns.tsx";

const few = new Set(["sync", "state", "next", "records", "result", "reason"]);
const own = new Set(["integration", "connection"]);

/** Syncs of a connection; each leads to its panel in the list of all. `isShort`: its main columns alone. */
export function SyncsTab({
  connection,
  isShort = false,
}: {
  connection: Connection;
  isShort?: boolean;
}) {
  const { connections: texts, syncs, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { provider_config_key, connection_id } = connection;
  const filter = { provider_config_key, connection_id, include: "results" } as const;
  const list = usePagedRows(syncsQuery(environment, filter));
  const columns = useMemo(
    () => syncColumns(syncs).filter(({ id }) => (isShort ? few.has(id) : !own.has(id))),
    [syncs, isShort],
  );
  const search = { connection: connection_id, integration: provider_config_key };
  const to = `${homeOf(environment)}/syncs`;
  return (
    <InnerList
      id="connection-syncs"
      title={texts.syncs}
      actions={<Go target={{ to, search }}>{tables.showAll}</Go>}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      targetOf={({ id }) => ({ to, search: { ...search, open: id } })}
      empty={texts.noSyncs}
    />
  );
}
