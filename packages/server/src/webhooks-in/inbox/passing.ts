import type { WebhookConnection } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { type KeptPayload, runWebhookHandlers } from "#syncs";
import { noteConnections } from "../connections/store.ts";
import type { ReadEvent } from "../reading/jobs.ts";
import {
  type Forwarding,
  forwardEvents,
  type MatchedEvent,
  openForward,
} from "./forward-events.ts";

/** What is passed on in one transaction: each event to each of its connections. */
const MOST_PASSED_ON = 200_000;

/** Where the events of a webhook went. */
export interface PassedOn {
  /** Connections that were looked for; those of an event of all connections are noted already. */
  readonly named: readonly WebhookConnection[];
  /** How many connections there were in all. */
  readonly connections: number;
  /** The one that there was. */
  readonly only: WebhookConnection | undefined;
  /** Runs of handlers that follow. */
  readonly runs: number;
}

/** Passes on the events of a webhook in their order, to the customer and to functions, in the caller's transaction. */
export class Passing {
  readonly #ctx: EnvironmentContext;
  readonly #forwarding: Forwarding;
  readonly #events: number;
  readonly #named = new Map<string, WebhookConnection>();
  #waiting: MatchedEvent[] = [];
  #counted = 0;
  #all = 0;
  #only: WebhookConnection | undefined;
  #runs = 0;

  constructor(ctx: EnvironmentContext, forwarding: Forwarding, events: number) {
    this.#ctx = ctx;
    this.#forwarding = forwarding;
    this.#events = events;
  }

  /** Throws where more would be passed on than one transaction takes. */
  count(connections: number): void {
    this.#counted += connections;
    if (this.#counted <= MOST_PASSED_ON) return;
    throw new AppError(
      "conflict",
      `The webhook has ${this.#events} events for so many connections that more than ${MOST_PASSED_ON} would be passed on.`,
    );
  }

  /** Passed on with the next ones, by `flush` at the latest. */
  toNamed(matched: MatchedEvent): void {
    for (const connection of matched.connections) this.#named.set(connection.uuid, connection);
    this.#waiting.push(matched);
  }

  /** Passes an event on to all connections of the integration, of which no more than a page is in memory. */
  async toAll(event: ReadEvent, pages: AsyncIterable<readonly WebhookConnection[]>): Promise<void> {
    await this.flush();
    const forward = await openForward(this.#ctx, this.#forwarding, { event, events: this.#events });
    const { id, receivedAt } = this.#forwarding.webhook;
    const kept: KeptPayload = { inputId: undefined };
    let count = 0;
    for await (const connections of pages) {
      if (count === 0) this.#only = connections[0];
      count += connections.length;
      await forward?.(connections);
      await this.#run(event, connections, kept);
      const uuids = connections.map(({ uuid }) => uuid);
      const noted = [{ id, receivedAt, connections: uuids }];
      await noteConnections(this.#ctx.db, this.#ctx.environment.id, noted);
    }
    if (count === 0) await forwardEvents(this.#ctx, this.#forwarding, [{ event, connections: [] }]);
    this.#all = Math.max(this.#all, count);
  }

  /** Passes on what waits. */
  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    await forwardEvents(this.#ctx, this.#forwarding, waiting);
    for (const { event, connections } of waiting) {
      await this.#run(event, connections, { inputId: undefined });
    }
  }

  get outcome(): PassedOn {
    const named = [...this.#named.values()];
    const connections = Math.max(this.#all, named.length);
    const only = connections === 1 ? (named[0] ?? this.#only) : undefined;
    return { named, connections, only, runs: this.#runs };
  }

  async #run(
    { types, payload }: ReadEvent,
    connections: readonly WebhookConnection[],
    kept: KeptPayload,
  ): Promise<void> {
    const { integration, shared } = this.#forwarding;
    const uuids = connections.map(({ uuid }) => uuid);
    const { mayLock } = shared;
    this.#runs += await runWebhookHandlers(this.#ctx, {
      ...{ integration, connections: uuids, types, payload, kept, mayLock },
    });
  }
}
