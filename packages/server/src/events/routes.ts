import { Readable } from "node:stream";
import type { eventRoutes } from "@jackfield/contract";
import { stopping } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { openStream } from "./open-stream.ts";
import { streamEvents } from "./stream-events.ts";

export const eventHandlers = {
  streamEvents: async (ctx, { query }, { reply, request }) => {
    const stream = openStream(ctx, query.topics);
    const resumedAfter = readLastId(request.headers["last-event-id"]);
    const text = streamEvents(ctx, stopping.of(ctx).signal, { stream, resumedAfter });
    await reply
      .status(200)
      .headers({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        // Proxies that collect answers would hold the events back.
        "x-accel-buffering": "no",
        // Kept alive after a stream that ends as the server stops, it would hold the stop up.
        connection: "close",
      })
      .send(Readable.from(text));
  },
} satisfies RouteHandlers<typeof eventRoutes>;

/** When the client has heard something last; 0 for an id that is none of ours: then everything may be new. */
function readLastId(id: string | string[] | undefined): number | undefined {
  if (id === undefined) return undefined;
  return /^\d{1,15}$/.test(String(id)) ? Number(id) : 0;
}
