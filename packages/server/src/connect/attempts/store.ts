import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

interface FlowRow {
  id: string;
  stateHash: Buffer;
  environmentId: EnvironmentId;
  integrationId: number;
  connectSessionId: string;
  secrets: Buffer;
  createdAt: Date;
  expiresAt: Date;
}

function tables(db: Db) {
  return db.withTables<{ authorizationFlows: FlowRow }>();
}

export async function insertFlow(
  db: Db,
  environmentId: EnvironmentId,
  row: Omit<FlowRow, "environmentId">,
): Promise<void> {
  await tables(db)
    .insertInto("authorizationFlows")
    .values({ ...row, environmentId })
    .execute();
}

export type TakenFlow = Readonly<Omit<FlowRow, "stateHash" | "createdAt">>;

const columns = [
  "id",
  "environmentId",
  "integrationId",
  "connectSessionId",
  "secrets",
  "expiresAt",
] as const;

/** Takes the flow out, so that its state works once; the state names the environment. */
export async function takeFlow(db: Db, stateHash: Buffer): Promise<TakenFlow | undefined> {
  return await tables(db)
    .deleteFrom("authorizationFlows")
    .where("stateHash", "=", stateHash)
    .returning(columns)
    .executeTakeFirst();
}

/** The flow of a state, which stays; the state names the environment. */
export async function findFlow(db: Db, stateHash: Buffer): Promise<TakenFlow | undefined> {
  return await tables(db)
    .selectFrom("authorizationFlows")
    .select(columns)
    .where("stateHash", "=", stateHash)
    .executeTakeFirst();
}

export async function deleteFlowsBefore(db: Db, time: Date): Promise<void> {
  await tables(db).deleteFrom("authorizationFlows").where("expiresAt", "<", time).execute();
}
