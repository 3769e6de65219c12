import { addAbortListener } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { recordFeedRoutes } from "@jackfield/contract";
import { getConnection } from "#connections";
import { type EnvironmentContext, SECOND } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { spellingsOf } from "#gateway";
import { getIntegration } from "#integrations";
import { type FeedStream, feedStreams } from "./feed-streams.ts";
import { feedAsEvents, feedAsLines } from "./present-feed.ts";
import type { FeedFilter } from "./read-feed.ts";
import { beginFeed, streamFeed } from "./stream-feed.ts";

/** So long a feed that has to end may take to say what it has begun. */
const END_MS = SECOND;

export const recordFeedHandlers = {
  streamRecords: async (ctx, { headers, query }, { reply }) => {
    const areEvents = headers.accept?.includes("text/event-stream") === true;
    const options = {
      cursor: headers["last-event-id"] ?? query.cursor,
      from: query.from ?? "beginning",
      filter: await toFilter(ctx, query),
      isLive: query.live === undefined ? areEvents : query.live === "true",
      form: areEvents ? feedAsEvents : feedAsLines,
      spell: (name: string) => spellingsOf(ctx, name),
    } as const;
    using open = new DisposableStack();
    const stream = open.use(feedStreams.of(ctx).open(ctx));
    const begun = await beginFeed(ctx, options);
    const body = toBody(stream, streamFeed(ctx, begun, { ...options, stream }), reply.raw);
    open.move();
    await reply
      .status(200)
      .headers({
        "content-type": options.form.contentType,
        "cache-control": "no-store",
        // Proxies that collect answers would hold the events back.
        "x-accel-buffering": "no",
        // Kept alive after a stream that ends as the server stops, it would hold the stop up.
        connection: "close",
      })
      .send(body);
  },
} satisfies RouteHandlers<typeof recordFeedRoutes>;

async function toFilter(
  ctx: EnvironmentContext,
  query: {
    models?: string[] | undefined;
    provider_config_key?: string | undefined;
    connection_id?: string | undefined;
  },
): Promise<FeedFilter> {
  const { models, provider_config_key: integrationKey, connection_id: connectionId } = query;
  if (integrationKey === undefined) {
    return { models, integrationKeys: undefined, connection: undefined };
  }
  const integration = await getIntegration(ctx, integrationKey);
  if (connectionId === undefined) {
    return { models, integrationKeys: [integration.uniqueKey], connection: undefined };
  }
  const connection = await getConnection(ctx, { integration, connectionId });
  return { models, integrationKeys: undefined, connection: connection.uuid };
}

/** The feed closes with the answer; a reader that takes nothing does not keep one open that has to end. */
function toBody(
  stream: FeedStream,
  parts: AsyncGenerator<Buffer | string>,
  response: ServerResponse,
): Readable {
  const body = Readable.from(parts, { objectMode: false });
  const ending = addAbortListener(stream.ended, () => {
    // Not the body: where its last part waits for the reader, destroying it would leave the response open.
    const timer = setTimeout(() => response.destroy(), END_MS).unref();
    response.once("close", () => clearTimeout(timer));
  });
  body.once("close", () => {
    ending[Symbol.dispose]();
    stream[Symbol.dispose]();
  });
  return body;
}
