import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { EnvironmentId } from "../../ids.ts";
import { type Database, hotStatement, runHot } from "../database.ts";
import { type Db, ownDb } from "../owned-db.ts";

/** How long a reader waits for a replica that is a little behind. */
const CATCH_UP_MS = 50;
const LOOK_EVERY_MS = 2;

const askReplayed = hotStatement(
  "replica_position",
  `select pg_is_in_recovery() as "isStandby",
          coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasReplayed",
          exists (select from primary_timelines where mark = $2::uuid) as "hasMark"`,
);

interface Replayed {
  readonly isStandby: boolean;
  readonly hasReplayed: boolean;
  readonly hasMark: boolean;
}

/** `other`: no standby of this primary. `diverged`: it replays a timeline that the primary has left. */
export type ReplicaState = "starting" | "used" | "behind" | "away" | "other" | "diverged";

/** How far a primary has written; positions count only within the timeline that the mark is of. */
export interface Position {
  readonly lsn: string;
  readonly mark: string;
}

/** A standby, or several behind one address: what it has replayed is asked in the session that reads. */
export class Replica {
  readonly name: string;
  state: ReplicaState = "starting";
  readonly #database: Database;

  constructor(name: string, database: Database) {
    this.name = name;
    this.#database = database;
  }

  get isUsed(): boolean {
    return this.state === "used";
  }

  /** The state alone where it has not got as far in time. */
  async read<Result>(
    { environmentId, position }: { environmentId: EnvironmentId; position: Position },
    read: (db: Db) => Promise<Result>,
  ): Promise<{ readonly result: Result } | { readonly state: ReplicaState }> {
    // In a transaction, for otherwise a connection that is lost is replaced unseen, perhaps by one to another server.
    const own = ownDb(this.#database.db, environmentId);
    return await own.transaction().execute(async (db) => {
      const state = await catchUp(db, position);
      return state === "used" ? { result: await read(db) } : { state };
    });
  }

  /** Whether it is a standby of that primary, on its timeline, that has got as far. */
  async isUsable(primary: { systemId: string; position: Position }): Promise<ReplicaState> {
    const { db } = this.#database;
    if ((await readSystemId(db)) !== primary.systemId) return "other";
    return await db.transaction().execute(async (db) => await catchUp(db, primary.position));
  }
}

async function catchUp(db: Db, { lsn, mark }: Position): Promise<ReplicaState> {
  const until = performance.now() + CATCH_UP_MS;
  for (;;) {
    const [row] = await runHot<Replayed>(db, askReplayed([lsn, mark]));
    if (row?.isStandby !== true) return "other";
    if (row.hasReplayed && row.hasMark) return "used";
    if (performance.now() > until) return row.hasReplayed ? "diverged" : "behind";
    await sleep(LOOK_EVERY_MS);
  }
}

/** A replica has that of its primary, and no other database has. */
export async function readSystemId(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select system_identifier::text as id from pg_control_system()`.execute(db);
  return rows[0]?.id ?? "";
}
