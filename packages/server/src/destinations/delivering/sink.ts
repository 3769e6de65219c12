import { SECOND } from "#foundation";
import type { FeedHead, FeedReader } from "#records";
import type { Destination } from "../destination.ts";
import type { Lease } from "../store.ts";
import type { FeedPosition } from "./feed-position.ts";

/** Another process delivers after this time, should this one die; renewed with each batch. Longer than any statement. */
export const HELD_MS = 45 * SECOND;

/** Another process has delivered meanwhile, or all is delivered again: what was read here is not written. */
export class Fenced extends Error {}

/** Changes that are delivered in one piece, up to `at`. */
export interface SinkBatch {
  readonly at: FeedPosition;
  readonly delivered: number;
  /** What is stored of the position here, once it is written; null where the target stores it. */
  readonly cursor: string | null;
  write(): Promise<void>;
}

/** Where changes are delivered to, for the time of a lease. */
export interface Sink extends AsyncDisposable {
  /** How soon changes are looked for again, once all are delivered. */
  readonly restMs: number;
  batches(until: number): AsyncGenerator<SinkBatch, undefined, void>;
}

export interface SinkInput<Kind extends Destination = Destination> {
  readonly destination: Kind;
  readonly head: FeedHead;
  readonly lease: Lease;
}

/** Which changes of the feed a destination gets. */
export function filterOf({
  models,
  integrations,
}: Destination): ConstructorParameters<typeof FeedReader>[1]["filter"] {
  return {
    models: models ?? undefined,
    integrationKeys: integrations ?? undefined,
    connection: undefined,
  };
}
