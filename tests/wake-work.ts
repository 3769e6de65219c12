import { administer } from "../packages/server/src/foundation/testing/administer.ts";
import { DUE_CHANNEL } from "../packages/server/src/tasks/index.ts";

const loops = ["problems.sweep", "syncs.sweep", "webhook-deliveries", "inbox"];

/** Lets servers look now at what they otherwise look at every 30 seconds, such as rows that a test has changed. */
export async function wakeWork(database: { readonly connectionString: string }): Promise<void> {
  const names = loops.map((name) => `pg_notify('${DUE_CHANNEL}', '${name}')`);
  await administer(database.connectionString, `select ${names.join(", ")}`);
}
