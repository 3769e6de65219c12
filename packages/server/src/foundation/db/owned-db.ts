import { type Dialect, type Kysely, PostgresDialect, type PostgresPool } from "kysely";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { ceilingOf, FairSlots } from "../fair-slots/index.ts";

import { NoConnection } from "./sessions/database-away.ts";
import { leaseClient, type SendStatement } from "./sessions/leased-client.ts";
import { findPatience } from "./sessions/patience.ts";

/** The database handle of verbs; a slice adds its own tables by `db.withTables<…>()` in its store. */
// biome-ignore lint/complexity/noBannedTypes: kysely's name for a database without tables is {}
export type Db = Kysely<{}>;

const MAX_REMEMBERED = 1000;
/** What belongs to no environment: it is served like one, and may have all connections. */
const INSTALLATION = "";

// Kept with its key: the database of one server.
const sharersOf = new WeakMap<Db, (owner: string) => Db>();
// Kept with its key: the database of one server.
const commonOf = new WeakMap<Db, Db>();
// Kept with its key: the database of one server.
const handles = new WeakMap<Db, Handle>();

/** What a handle is made of. */
interface Handle {
  readonly pool: PostgresPool;
  readonly open: (dialect: Dialect) => Db;
}

export function handleOf(db: Db): Handle | undefined {
  return handles.get(db);
}

/** Makes another handle count as one of the same owner. */
export function registerHandle(of: Db, db: Db): Db {
  commonOf.set(db, commonDb(of));
  return db;
}

/** The handle of an environment, which shares the connections with others; a transaction stays what it is. */
export function ownDb(db: Db, environmentId: string): Db {
  const common = commonDb(db);
  // A guarded handle stays one, regardless of who pays for its connections.
  if (db !== common && !handles.has(db)) return db;
  return sharersOf.get(common)?.(environmentId) ?? db;
}

/** The handle of no environment, for what writes for many at once. */
export function commonDb(db: Db): Db {
  return commonOf.get(db) ?? db;
}

export interface SharedPoolOptions {
  readonly pool: pg.Pool;
  readonly send: SendStatement;
  readonly maxConnections: number;
  /** Of the connections, how many one environment may hold at once. */
  readonly share: number;
  /** How long one waits for a connection; then NoConnection is thrown. */
  readonly waitMs: number;
  open(dialect: Dialect): Db;
}

/** A handle whose connections environments share: `ownDb` makes the handle of one. */
export function openSharedDb(options: SharedPoolOptions): Db {
  const { maxConnections, share, waitMs, open } = options;
  const ceiling = ceilingOf(maxConnections, share);
  const slots = new FairSlots({
    name: "database",
    ...{ slots: maxConnections, ceiling, unlimited: INSTALLATION },
  });
  const openFor = (owner: string) => {
    const handle = {
      pool: asPool(options, async () => await takeSlot(slots, owner, waitMs)),
      open,
    };
    const db = open(new PostgresDialect({ pool: handle.pool }));
    handles.set(db, handle);
    return db;
  };
  const common = openFor(INSTALLATION);
  const known = new LRUCache<string, Db>({ max: MAX_REMEMBERED });
  sharersOf.set(common, (owner) => {
    const own = known.get(owner) ?? openFor(owner);
    commonOf.set(own, common);
    known.set(owner, own);
    return own;
  });
  return common;
}

async function takeSlot(slots: FairSlots, owner: string, waitMs: number): Promise<Disposable> {
  const patience = findPatience();
  const tooLate = () => new NoConnection();
  if (patience === undefined) return await slots.take(owner, { waitMs, tooLate });
  const endWait = patience.wait();
  const leftMs = Math.min(waitMs, patience.leftMs);
  return await slots.take(owner, { waitMs: leftMs, tooLate }).finally(endWait);
}

/** A connection is taken with its slot, and both are given back together. */
function asPool({ pool, send }: SharedPoolOptions, take: () => Promise<Disposable>): PostgresPool {
  return {
    options: pool.options,
    connect: async () => {
      const slot = await take();
      try {
        return await leaseClient({ pool, send, onRelease: () => slot[Symbol.dispose]() });
      } catch (error) {
        slot[Symbol.dispose]();
        throw error;
      }
    },
    end: async () => await pool.end(),
  };
}
