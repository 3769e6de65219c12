// A thread that reads large webhooks: routers and nothing else, no database and no network.
import { parentPort } from "node:worker_threads";
import { UnreadableWebhook } from "../match/router.ts";
import { type ReadAnswer, type ReadJob, runReadJob } from "./jobs.ts";

/** What the thread says of a job. */
export type ThreadAnswer =
  | { readonly kind: "done"; readonly answer: ReadAnswer }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string };

parentPort?.on("message", (job: ReadJob) => {
  void run(job).then((said) => parentPort?.postMessage(said, buffersOf(said)));
});

async function run(job: ReadJob): Promise<ThreadAnswer> {
  try {
    return { kind: "done", answer: await runReadJob(withBuffers(job)) };
  } catch (error) {
    if (error instanceof UnreadableWebhook) return { kind: "unreadable", reason: error.message };
    return { kind: "broken", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A Buffer arrives as a plain Uint8Array. */
function withBuffers(job: ReadJob): ReadJob {
  const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
    Buffer.from(buffer, byteOffset, byteLength);
  if (job.kind !== "examine") {
    return { ...job, decoded: { ...job.decoded, body: asBuffer(job.decoded.body) } };
  }
  const { request, decodedBody } = job;
  return {
    ...job,
    request: { ...request, body: asBuffer(request.body) },
    decodedBody: decodedBody && asBuffer(decodedBody),
  };
}

/** Payloads are handed over, not copied; those of small ones share a block, which cannot be. */
function buffersOf(said: ThreadAnswer): ArrayBuffer[] {
  if (said.kind !== "done" || !Array.isArray(said.answer)) return [];
  return said.answer.flatMap(({ payload }: { payload: Uint8Array }) =>
    payload.buffer instanceof ArrayBuffer && payload.buffer.byteLength === payload.byteLength
      ? [payload.buffer]
      : [],
  );
}
