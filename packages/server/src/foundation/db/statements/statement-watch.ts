import type pg from "pg";
import { SECOND } from "../../clock.ts";
import { afterAbout } from "../../waiting/index.ts";
import { askSessions, type BusySessions, destroyConnection } from "../sessions/ask-sessions.ts";
import { DatabaseSilent, WorkerSilent } from "../sessions/database-away.ts";
import { findPatience } from "../sessions/patience.ts";

/** How long a statement outside requests goes unanswered until the database is asked whether it works on it. */
const ASK_AFTER_MS = 10 * SECOND;
const HURRY_MS = SECOND;
/** What asking takes at most, with the time for an answer that was under way. */
const ASKING_MS = 4 * SECOND;
/** After the time-out of a statement, for the answer that it was cancelled. */
const CANCEL_GRACE_MS = SECOND;
/** For an answer that was under way when the database was asked. */
const ARRIVE_MS = SECOND;

export interface StatementWatchOptions {
  readonly connectionString: string;
  readonly pooled: boolean;
  /** Default 10 s. */
  readonly askAfterMs?: number | undefined;
}

/**
 * Closes the connection of a statement that is not answered: in a request when its patience is spent, elsewhere, and in
 * requests that allow for long statements, when the database does not confirm that it works on it. Long work may so take
 * its time, and a silent network may not.
 */
export class StatementWatch {
  readonly #options: StatementWatchOptions;
  readonly #looks = new Set<() => Promise<void>>();
  #askAfterMs: number;
  #asking: Promise<BusySessions | undefined> | undefined;

  constructor(options: StatementWatchOptions) {
    this.#options = options;
    this.#askAfterMs = options.askAfterMs ?? ASK_AFTER_MS;
  }

  /** The process stops: from now on silence is looked into after a second, that of present statements at once. */
  hurry(): void {
    this.#askAfterMs = Math.min(this.#askAfterMs, HURRY_MS);
    for (const look of this.#looks) void look();
  }

  /** Until the returned function is called. `timeoutMs` is after how long the database itself cancels the statement. */
  begin(client: pg.ClientBase, timeoutMs = Number.POSITIVE_INFINITY): () => void {
    const endPatience = this.#beginPatient(client);
    if (timeoutMs === Number.POSITIVE_INFINITY) return endPatience;
    let isAnswered = false;
    const look = async (): Promise<void> => {
      // Whether all of the database is silent, or only what this statement waits for.
      const isWorking = await this.#isWorking(client);
      if (isAnswered) return;
      if (isWorking === undefined) giveUp(client);
      else giveUpCancelled(client);
    };
    const stop = afterAbout(timeoutMs + CANCEL_GRACE_MS, () => void look());
    return () => {
      isAnswered = true;
      stop();
      endPatience();
    };
  }

  #beginPatient(client: pg.ClientBase): () => void {
    const patience = findPatience();
    if (patience === undefined || patience.allowsLong) return this.beginLong(client);
    const endWait = patience.wait();
    const stop = afterAbout(patience.leftMs, () => giveUp(client));
    return () => {
      stop();
      endWait();
    };
  }

  /** For statements that may take long also in a request. */
  beginLong(client: pg.ClientBase): () => void {
    const patience = findPatience();
    const askAfterMs = (): number =>
      patience === undefined
        ? this.#askAfterMs
        : Math.min(this.#askAfterMs, Math.max(HURRY_MS, patience.leftMs - ASKING_MS));
    let isAnswered = false;
    let stop: () => void;
    const look = async (): Promise<void> => {
      stop();
      const isWorking = await this.#isWorking(client);
      stop();
      if (isAnswered) return;
      if (isWorking === undefined) giveUp(client);
      else if (isWorking) stop = afterAbout(askAfterMs(), () => void look());
      else stop = afterAbout(ARRIVE_MS, () => giveUp(client));
    };
    stop = afterAbout(askAfterMs(), () => void look());
    this.#looks.add(look);
    return () => {
      isAnswered = true;
      stop();
      this.#looks.delete(look);
    };
  }

  /** One question serves all who ask meanwhile; undefined when nobody answers. */
  async #isWorking(client: pg.ClientBase): Promise<boolean | undefined> {
    const { connectionString, pooled } = this.#options;
    this.#asking ??= askSessions(connectionString, { pooled }).finally(() => {
      this.#asking = undefined;
    });
    const busy = await this.#asking;
    if (busy === undefined || busy === "unknown") return busy === undefined ? undefined : true;
    return "processID" in client && typeof client.processID === "number"
      ? busy.has(client.processID)
      : true;
  }
}

/** The time-out of a statement has passed and nothing was answered, as by a server that waits for another while it cancels. */
function giveUpCancelled(client: pg.ClientBase): void {
  const cause = new Error("the database did not answer that it has cancelled a statement");
  destroyConnection(client, new WorkerSilent(cause, { keepsSession: false }));
}

function giveUp(client: pg.ClientBase): void {
  destroyConnection(client, new DatabaseSilent("the database did not answer a statement in time"));
}
