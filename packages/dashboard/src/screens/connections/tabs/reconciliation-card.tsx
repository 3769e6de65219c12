import { useQuery } from "@tanstack/react-query";
import type { Connection } from "../../../data/connections.ts";
import {
  reconciliationsQuery,
  type SyncReconciliation,
} from "../../../data/environment/arrivals.ts";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../../parts/plain-table.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";

/** What webhooks missed and scheduled runs found; nothing where no sync handles webhooks. */
export function ReconciliationCard({ connection }: { connection: Connection }) {
  const { arrivals: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:syncs:read");
  const query = useQuery({ ...reconciliationsQuery(environment, connection), enabled: may });
  if (query.isError) return <FaultBanner error={query.error} />;
  if (query.data === undefined || query.data.length === 0) return null;
  return (
    <Card title={texts.reconciliation}>
      <p className="soft padded">{texts.reconciliationText}</p>
      <PlainTable
        label={texts.reconciliation}
        columns={[
          { header: texts.day, cell: ({ day }: SyncReconciliation) => day },
          { header: texts.model, cell: ({ model }: SyncReconciliation) => plainText(model) },
          {
            header: texts.brought,
            isNumber: true,
            cell: (row: SyncReconciliation) => formatNumber(row.changes_by_webhooks),
          },
          {
            header: texts.missed,
            isNumber: true,
            cell: (row: SyncReconciliation) => formatNumber(row.missed_by_webhooks),
          },
        ]}
        rows={query.data}
        keyOf={({ day, model }) => `${day} ${model}`}
      />
    </Card>
  );
}
