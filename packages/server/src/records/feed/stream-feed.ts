import { type EnvironmentContext, endOf, HOUR, MINUTE, SECOND } from "#foundation";
import { type FeedPosition, readFeedCursor, writeFeedCursor } from "./feed-cursor.ts";
import type { FeedStream } from "./feed-streams.ts";
import { nameSources } from "./name-sources.ts";
import { noteChanges } from "./note-changes.ts";
import { createFeedPresenter, type FeedForm } from "./present-feed.ts";
import { type FeedFilter, FeedReader } from "./read-feed.ts";
import type { FeedHead } from "./store.ts";

// Below the idle time after which common proxies close a connection.
const HEARTBEAT_MS = 15 * SECOND;
/** Then the client comes again, and its right to read is looked at again: sooner where its end cannot be heard. */
const LONGEST_MS = HOUR;
const LONGEST_DEAF_MS = MINUTE;

export interface FeedOptions {
  readonly cursor: string | undefined;
  readonly from: "beginning" | "now";
  readonly filter: FeedFilter;
  readonly isLive: boolean;
  readonly form: FeedForm;
  readonly spell: (name: string) => readonly string[];
  readonly heartbeatMs?: number;
  readonly longestMs?: number;
}

/** What a feed starts with; throws invalid_cursor. */
export async function beginFeed(
  ctx: EnvironmentContext,
  { cursor, from }: Pick<FeedOptions, "cursor" | "from">,
): Promise<{ readonly head: FeedHead; readonly at: FeedPosition }> {
  const head = await noteChanges(ctx);
  if (cursor !== undefined) return { head, at: readFeedCursor(head, cursor) };
  return { head, at: { position: from === "now" ? head.position : 0, sequence: 0 } };
}

/** The events of a feed, part by part: the next is read when the one before was taken. */
export async function* streamFeed(
  ctx: EnvironmentContext,
  begun: { readonly head: FeedHead; readonly at: FeedPosition },
  options: FeedOptions & { readonly stream: FeedStream },
): AsyncGenerator<Buffer | string, undefined, void> {
  const { stream, isLive, form, spell, filter } = options;
  const { heartbeatMs = HEARTBEAT_MS, longestMs = LONGEST_MS } = options;
  const presenter = createFeedPresenter(form, {
    spell,
    write: (at) => writeFeedCursor(begun.head, at),
    sourceOf: await nameSources(ctx),
  });
  const reader = new FeedReader(ctx, { at: begun.at, filter });
  const untilEndMs = (endOf(ctx.actor)?.getTime() ?? Infinity) - ctx.clock.now().getTime();
  const startedAt = performance.now();
  const isOver = (): boolean => {
    const mostMs = ctx.notices.isListening ? longestMs : Math.min(longestMs, LONGEST_DEAF_MS);
    return stream.ended.aborted || performance.now() - startedAt >= Math.min(mostMs, untilEndMs);
  };
  let { position } = begun.head;
  // Sent at once, so that the client knows that it is heard.
  yield presenter.heartbeat(reader.at);
  let spokenAt = performance.now();
  while (!isOver()) {
    for await (const step of reader.steps(position)) {
      yield presenter.step(step);
      spokenAt = performance.now();
      if (isOver()) return;
    }
    if (!isLive) {
      yield presenter.end(reader.at);
      return;
    }
    if (performance.now() - spokenAt >= heartbeatMs) {
      yield presenter.heartbeat(reader.at);
      spokenAt = performance.now();
    }
    await stream.wait(heartbeatMs);
    if (!isOver()) ({ position } = await stream.look(ctx));
  }
}
