import { SECOND } from "../../clock.ts";
import { AppError, reasonOf } from "../../errors.ts";
import type { EnvironmentId } from "../../ids.ts";
import { defineCounter, defineGauge } from "../../instruments/index.ts";
import type { Logger } from "../../logger/index.ts";
import { commonDb, type Db } from "../owned-db.ts";
import { DatabaseAway, NoConnection } from "../sessions/database-away.ts";
import { withinPatience } from "../sessions/patience.ts";
import { PrimaryPosition } from "./primary-position.ts";
import { type Position, type Replica, type ReplicaState, readSystemId } from "./replica.ts";

/** How often those that are left out are looked at. */
const LOOK_EVERY_MS = 0.5 * SECOND;
/** Of a standby that cancels what its replay cannot wait for: serialization_failure. */
const CONFLICT = "40001";

const reads = defineCounter({
  name: "svc_database_reads_total",
  help: "Reads of lists, streams and metrics, by the server that answered; only with SVC_DATABASE_REPLICA_URLS.",
  unit: "{reading}",
  labels: ["server"],
});
const used = defineGauge({
  name: "svc_database_replica_used",
  help: "1 while lists are read from this replica, 0 while it is unreachable, behind or on another timeline.",
  unit: "1",
  labels: ["replica"],
});

export interface ReplicaSetOptions {
  readonly primary: Db;
  readonly replicas: readonly Replica[];
  readonly log: Logger;
}

/** Which replicas are read from, one after the other; one that is away or behind is left out until it has caught up. */
export class ReplicaSet implements AsyncDisposable {
  readonly #options: ReplicaSetOptions;
  readonly #position: PrimaryPosition;
  readonly #gauge: Disposable;
  readonly #stopping = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #reads = 0;
  readonly #readings = { primary: 0, replica: 0 };

  constructor(options: ReplicaSetOptions) {
    this.#options = options;
    this.#position = new PrimaryPosition(commonDb(options.primary));
    this.#gauge = used.observe(() =>
      options.replicas.map(({ name, isUsed }) => ({
        value: Number(isUsed),
        labels: { replica: name },
      })),
    );
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** Those that are left out, by name. */
  get leftOut(): readonly string[] {
    return this.#options.replicas.filter(({ isUsed }) => !isUsed).map(({ name }) => name);
  }

  /** Where was read so far. */
  get readings(): { readonly primary: number; readonly replica: number } {
    return { ...this.#readings };
  }

  async read<Result>(
    { db, environment }: { readonly db: Db; readonly environment: { readonly id: EnvironmentId } },
    read: (db: Db) => Promise<Result>,
  ): Promise<Result> {
    const replica = this.#next();
    const answer = replica && (await this.#readFrom(replica, environment.id, read));
    const server = answer === undefined ? "primary" : "replica";
    this.#readings[server] += 1;
    reads.add(1, { server });
    return answer === undefined ? await read(db) : answer.result;
  }

  /** Looks at those that are left out. */
  async look(): Promise<void> {
    if (this.leftOut.length === 0 || this.#stopping.signal.aborted) return;
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#gauge[Symbol.dispose]();
  }

  #next(): Replica | undefined {
    const usable = this.#options.replicas.filter(({ isUsed }) => isUsed);
    this.#reads += 1;
    return usable[this.#reads % Math.max(1, usable.length)];
  }

  /** Undefined where the primary has to answer. */
  async #readFrom<Result>(
    replica: Replica,
    environmentId: EnvironmentId,
    read: (db: Db) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined> {
    // Without it the primary is away; what it then says is the answer.
    const position = await withinPatience(this.#position.ask()).catch(() => undefined);
    if (position === undefined) return undefined;
    try {
      const answer = await replica.read({ environmentId, position }, read);
      if ("result" in answer) return answer;
      this.#change(replica, answer.state);
      return undefined;
    } catch (error) {
      const isAway = error instanceof DatabaseAway && !(error instanceof NoConnection);
      if (error instanceof AppError && !isAway) throw error;
      if (isAway) this.#change(replica, "away", error);
      else if (!isConflict(error)) throw error;
      return undefined;
    }
  }

  async #lookAtAll(): Promise<void> {
    const { primary, replicas } = this.#options;
    try {
      const systemId = await readSystemId(primary);
      const position = await this.#position.ask();
      const out = replicas.filter(({ isUsed }) => !isUsed);
      await Promise.all(out.map(async (it) => await this.#lookAt(it, { systemId, position })));
    } catch {
      // The primary is away; those that read say so.
    }
  }

  async #lookAt(
    replica: Replica,
    primary: { systemId: string; position: Position },
  ): Promise<void> {
    try {
      this.#change(replica, await replica.isUsable(primary));
    } catch (error) {
      this.#change(replica, "away", error);
    }
  }

  #change(replica: Replica, state: ReplicaState, error?: unknown): void {
    if (replica.state === state || this.#stopping.signal.aborted) return;
    replica.state = state;
    const fields = { replica: replica.name, state };
    if (state === "used") this.#options.log.info("database.replica_used", fields);
    else {
      const reason = error === undefined ? {} : { reason: reasonOf(error) };
      this.#options.log.warn("database.replica_left_out", { ...fields, ...reason });
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === CONFLICT;
}
