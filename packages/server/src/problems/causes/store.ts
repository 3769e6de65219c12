import { type RawBuilder, sql } from "kysely";
import type { ReadSources } from "./distributed/store.ts";
import { causesOfConnections } from "./of-connections/store.ts";
import { causesOfFunctions } from "./of-functions/store.ts";
import { causesOfInstallation } from "./of-installation/store.ts";
import { causesOfSyncs } from "./of-syncs/store.ts";
import { causesOfWebhooksAndKeys } from "./of-webhooks/store.ts";

/**
 * What is wrong at a time. Each part reads an index of those few rows that something is wrong with; `read` has those of
 * tables that lie on other servers.
 */
export function causesAt(now: Date, read?: ReadSources): RawBuilder<unknown> {
  const causes = [
    ...causesOfConnections(now, read),
    ...causesOfSyncs(now),
    ...causesOfFunctions(now),
    ...causesOfWebhooksAndKeys(now, read),
    ...causesOfInstallation(now),
  ];
  return sql.join(
    causes.map((cause) => sql`select ${columns} from (${cause}) cause`),
    sql` union all `,
  );
}

const columns = sql.raw(
  `environment_id, kind, integration, function, receiver, code, place, since, last_at, count, sample, cause, next_at,
   sample_operation_id`,
);
