import { queryOptions } from "@tanstack/react-query";
import { callApi } from "../api.ts";
import type { ConnectionName } from "../connections.ts";

interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor?: string | null | undefined;
}

/** What would be deleted with a connection: its syncs, and the records that these saved. */
export function connectionContentsQuery(environment: string, name: ConnectionName) {
  return queryOptions({
    queryKey: ["connection", environment, name, "contents"],
    queryFn: async ({ signal }) => {
      const of = { provider_config_key: name.integration, connection_id: name.id, limit: "100" };
      const syncs = await readAll(async (cursor) => {
        const query = Object({ ...of, cursor });
        return await callApi("listSyncs", { environment, query, signal });
      });
      const models = await readAll(async (cursor) => {
        const query = Object({ ...of, cursor });
        return await callApi("listRecordModels", { environment, query, signal });
      });
      const records = models.reduce((sum, { live_count: count }) => sum + count, 0);
      return { syncs: syncs.length, models: models.length, records };
    },
    staleTime: 0,
  });
}

async function readAll<Row>(
  read: (cursor: string | undefined) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    rows.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
