import { CompiledQuery } from "kysely";
import type { Db } from "../../../../../../../packages/server/src/foundation/db/index.ts";

// Statements as the server's code might send them, from a path that looks like its own.

export async function readEverywhere(db: Db): Promise<void> {
  await db.executeQuery(CompiledQuery.raw("select from operations where state = $1", ["failed"]));
}

export async function readModels(db: Db, ids: readonly number[]): Promise<void> {
  await db.executeQuery(CompiledQuery.raw("select from record_models where id = any($1)", [ids]));
}

export async function readDay(db: Db): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw("select from operation_messages_default where level = 'error'"),
  );
}

export async function readQueues(db: Db): Promise<void> {
  await db.executeQuery(CompiledQuery.raw("select from inbound_webhooks where state = 'waiting'"));
}

export async function readReceivers(db: Db): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw("select set_config('a.b', '', true) from webhook_receivers"),
  );
}

export async function readOne(db: Db, environmentId: string): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw("select from delivery_turns where environment_id = $1", [environmentId]),
  );
}
