import { type EnvironmentContext, serverState } from "#foundation";
import { FairQueue } from "#foundation/fair-slots";
import type { InboundRequest } from "../match/router.ts";
import type { Routing } from "../match/routing.ts";
import {
  type Examination,
  type Examined,
  type ReadAnswer,
  type ReadEvent,
  type ReadJob,
  runReadJob,
} from "./jobs.ts";
import { ReaderThread } from "./reader-thread.ts";

// What takes a few milliseconds at worst costs less here than on its way to a thread.
const READ_HERE_BYTES = 8 * 1024;

/** A larger one may take seconds, and no other environment's waits for it. */
const LARGE_BYTES = 1024 * 1024;

const newReader = () => ({ thread: new ReaderThread(), queue: new FairQueue() });
const readers = serverState(() => ({ ordinary: newReader(), large: newReader() }));

async function read(ctx: EnvironmentContext, job: ReadJob): Promise<ReadAnswer> {
  const bytes = sizeOf(job);
  if (bytes <= READ_HERE_BYTES) return await runReadJob(job);
  const { ordinary, large } = readers.of(ctx);
  const { queue, thread } = bytes > LARGE_BYTES ? large : ordinary;
  return await queue.run(ctx.environment.id, async () => await thread.run(job));
}

function sizeOf(job: ReadJob): number {
  if (job.kind !== "examine") return job.decoded.body.byteLength;
  return Math.max(job.request.body.byteLength, job.decodedBody?.byteLength ?? 0);
}

/** The connection that has the secret, where the router asks for one. */
export async function findSecretHolder(
  ctx: EnvironmentContext,
  routing: Routing,
  decoded: InboundRequest,
): Promise<string | undefined> {
  return asHolder(await read(ctx, { kind: "holder", routing, decoded }));
}

/** What the request proves and asks; reads its events to see that they can be. Throws `UnreadableWebhook`. */
export async function examineRequest(
  ctx: EnvironmentContext,
  examination: Examination,
): Promise<Examined> {
  return asExamined(await read(ctx, { kind: "examine", ...examination }));
}

/** The events of a request that was examined. Throws `UnreadableWebhook`. */
export async function listEvents(
  ctx: EnvironmentContext,
  routing: Routing,
  decoded: InboundRequest,
): Promise<readonly ReadEvent[]> {
  return asEvents(await read(ctx, { kind: "events", routing, decoded }));
}

// The kind of an answer is that of its job.
function asHolder(answer: ReadAnswer): string | undefined {
  return answer as string | undefined;
}
function asExamined(answer: ReadAnswer): Examined {
  return answer as Examined;
}
function asEvents(answer: ReadAnswer): readonly ReadEvent[] {
  return answer as readonly ReadEvent[];
}
