import { useMemo } from "react";
import type { Connection } from "../../../data/connections.ts";
import { modelsQuery } from "../../../data/records/records.ts";
import { InnerList } from "../../../parts/list/inner-list.tsx";
import { usePagedRows } from "../../../parts/list/rows.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { modelColumns } from "../../records/model-columns.tsx";
import { modelKey, modelPage } from "../../records/record-words.ts";
import { DriftCard } from "./drift-card.tsx";
import { QuarantineCard } from "./quarantine-card.tsx";
import { ReconciliationCard } from "./reconciliation-card.tsx";

const own = new Set(["integration", "connection"]);

/** Models of which syncs have saved records for the connection. */
export function RecordsTab({ connection }: { connection: Connection }) {
  const { connections: texts, records } = useTexts();
  const { name: environment } = useEnvironment();
  const { provider_config_key, connection_id } = connection;
  const list = usePagedRows(modelsQuery(environment, { provider_config_key, connection_id }));
  const columns = useMemo(() => modelColumns(records).filter(({ id }) => !own.has(id)), [records]);
  return (
    <div className="stack">
      <QuarantineCard connection={connection} />
      <DriftCard connection={connection} />
      <ReconciliationCard connection={connection} />
      <InnerList
        id="connection-records"
        title={texts.tabs.records}
        list={list}
        columns={columns}
        keyOf={modelKey}
        targetOf={(row) => modelPage(environment, row)}
        empty={records.emptyTitle}
      />
    </div>
  );
}
