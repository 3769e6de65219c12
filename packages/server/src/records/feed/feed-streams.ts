import { addAbortListener } from "node:events";
import {
  AppError,
  Doorbell,
  type EnvironmentContext,
  type EnvironmentId,
  rowsOfActor,
  SECOND,
  serverState,
  stopping,
} from "#foundation";
import { CHANGES } from "#foundation/cache";
import { noteChanges } from "./note-changes.ts";
import type { FeedHead } from "./store.ts";

/** Open feeds of one environment, and of all, in one process: they bound what slow readers hold. */
const MOST_OF_ENVIRONMENT = 20;
const MOST_OF_PROCESS = 200;
/** How soon a live feed learns of a change. */
const LOOK_EVERY_MS = SECOND / 2;
/** Looks take at most this share of the time, regardless of the number of models. */
const LOOK_SHARE = 0.05;

/** What the open feeds of an environment share: one of them looks for changes, for all. */
class FeedWatch {
  streams = 0;
  #head: FeedHead | undefined;
  #looking: Promise<FeedHead> | undefined;
  #nextAt = 0;

  /** What was noted lately; looks itself where that is too long ago. */
  async look(ctx: EnvironmentContext): Promise<FeedHead> {
    if (this.#head !== undefined && performance.now() < this.#nextAt) return this.#head;
    this.#looking ??= this.#look(ctx).finally(() => {
      this.#looking = undefined;
    });
    return await this.#looking;
  }

  async #look(ctx: EnvironmentContext): Promise<FeedHead> {
    const startedAt = performance.now();
    this.#head = await noteChanges(ctx);
    const tookMs = performance.now() - startedAt;
    this.#nextAt = startedAt + Math.max(LOOK_EVERY_MS, tookMs / LOOK_SHARE);
    return this.#head;
  }
}

/** An open feed. It ends when its caller's rights may have changed: who still may comes again. */
export class FeedStream implements Disposable {
  readonly #watch: FeedWatch;
  readonly #bell = new Doorbell();
  readonly #ended = new AbortController();
  readonly #disposables = new DisposableStack();

  constructor(ctx: EnvironmentContext, watch: FeedWatch, onClose: () => void) {
    this.#watch = watch;
    this.#disposables.defer(onClose);
    const rows = new Set(rowsOfActor(ctx));
    const end = () => this.end();
    this.#disposables.use(
      ctx.notices.subscribe(CHANGES, (detail) => {
        if (detail === undefined || rows.has(detail)) end();
      }),
    );
    for (const signal of [stopping.of(ctx).signal, ctx.signal]) {
      this.#disposables.use(addAbortListener(signal, end));
    }
  }

  /** Aborted when the feed has to end. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  end(): void {
    this.#ended.abort();
    this.#bell.ring();
  }

  async look(ctx: EnvironmentContext): Promise<FeedHead> {
    return await this.#watch.look(ctx);
  }

  /** Until it is worth looking again, or the feed ends. */
  async wait(ms: number): Promise<void> {
    await this.#bell.wait(Math.min(ms, LOOK_EVERY_MS));
  }

  [Symbol.dispose](): void {
    this.#disposables.dispose();
  }
}

class FeedStreams {
  readonly #watches = new Map<EnvironmentId, FeedWatch>();
  #count = 0;

  open(ctx: EnvironmentContext): FeedStream {
    const { id } = ctx.environment;
    const watch = this.#watches.get(id) ?? new FeedWatch();
    if (watch.streams >= MOST_OF_ENVIRONMENT || this.#count >= MOST_OF_PROCESS) {
      throw new AppError(
        "too_many_request",
        `This process has as many open feeds as it may: ${MOST_OF_ENVIRONMENT} of an environment, ${MOST_OF_PROCESS} in all. Close one, or read with fewer filters.`,
      );
    }
    this.#watches.set(id, watch);
    watch.streams += 1;
    this.#count += 1;
    return new FeedStream(ctx, watch, () => {
      watch.streams -= 1;
      this.#count -= 1;
      if (watch.streams === 0) this.#watches.delete(id);
    });
  }
}

/** The open feeds of a server. */
export const feedStreams = serverState(() => new FeedStreams());
