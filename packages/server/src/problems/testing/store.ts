import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";

/** An address of webhooks, and since when it fails; null: it does not. */
export async function setReceiver(
  db: Db,
  environmentId: EnvironmentId,
  receiver: { url: string; failingSince: Date | null; disabledAt: Date | null },
): Promise<void> {
  const { url, failingSince, disabledAt } = receiver;
  await sql`delete from webhook_receivers where environment_id = ${environmentId} and url = ${url}`.execute(
    db,
  );
  await sql`
    insert into webhook_receivers (id, environment_id, url, failing_since, disabled_at)
    values (gen_random_uuid(), ${environmentId}, ${url}, ${failingSince}, ${disabledAt})`.execute(
    db,
  );
}
