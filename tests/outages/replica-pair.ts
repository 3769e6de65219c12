import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import {
  type Database,
  migrate,
  openDatabase,
  Replica,
  ReplicaSet,
  readReplica,
  replicas,
} from "../../packages/server/src/foundation/db/index.ts";
import {
  type EnvironmentContext,
  type EnvironmentId,
  ServerStates,
} from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { type Standby, startStandby } from "./standby.ts";

/** A process of the server: its own pools, its own view of the replicas. */
interface Process {
  readonly ctx: EnvironmentContext;
  readonly set: ReplicaSet;
}

/** A primary with a standby, and two processes of a server that read from it. */
export interface ReplicaPair extends AsyncDisposable {
  readonly app: TestContext;
  readonly standby: Standby;
  readonly one: Process;
  readonly other: Process;
  /** How often either process has read where. */
  readonly readings: ReplicaSet["readings"];
  open(connectionString: string): Database;
  /** Writes a key in one process, and reads it in the same or the other one; resolves to how many were stale. */
  countStale(count: number, key: number): Promise<number>;
}

export async function startReplicaPair(programs: string): Promise<ReplicaPair> {
  await using resources = new AsyncDisposableStack();
  const app = resources.use(await createTestContext());
  const standby = resources.use(await startStandby(programs));
  await migrate(standby.primaryUrl);
  await standby.query("primary", "create table pairs (key int primary key, n int not null)");
  const [account, id] = [randomUUID(), randomUUID()];
  await standby.query(
    "primary",
    `insert into accounts (id, name, created_at) values ('${account}', 'test', now());
     insert into environments (id, account_id, name, created_at) values ('${id}', '${account}', 'test', now())`,
  );
  const environment = { id: asEnvironmentId(id), name: "test", accountId: account };
  const opened = new AsyncDisposableStack();
  resources.use(opened);
  const open = (connectionString: string): Database => {
    const options = { connectionString, maxConnections: 10, pooled: false, onError: () => {} };
    return opened.use(openDatabase(options));
  };
  const startProcess = (): Process => {
    const { db } = open(standby.primaryUrl);
    const state = opened.use(new ServerStates());
    const replica = new Replica("standby", open(standby.standbyUrl));
    const set = opened.use(new ReplicaSet({ primary: db, replicas: [replica], log: app.ctx.log }));
    const ctx = { ...app.ctx, db, state, environment };
    replicas.set(ctx, set);
    return { ctx, set };
  };
  const [one, other] = [startProcess(), startProcess()];
  const running = resources.move();
  return {
    ...{ app, standby, one, other, open },
    get readings() {
      const [first, second] = [one.set.readings, other.set.readings];
      return {
        primary: first.primary + second.primary,
        replica: first.replica + second.replica,
      };
    },
    async countStale(count, key) {
      let stale = 0;
      for (let n = 1; n <= count; n += 1) {
        const reader = n % 2 === 0 ? other : one;
        await sql`
          insert into pairs values (${key}, ${n}) on conflict (key) do update set n = excluded.n`.execute(
          one.ctx.db,
        );
        const read = await readReplica(reader.ctx, async (db) => {
          const { rows } = await sql<{ n: number }>`select n from pairs where key = ${key}`.execute(
            db,
          );
          return rows[0]?.n;
        });
        if (read !== n) stale += 1;
      }
      return stale;
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

// Made above.
function asEnvironmentId(id: string): EnvironmentId {
  return id as EnvironmentId;
}
