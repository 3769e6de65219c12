import { extname } from "node:path";
import { AppError, type EnvironmentContext, JobThread, MINUTE, SECOND } from "#foundation";
import { FairQueue } from "#foundation/fair-slots";
import type { DocumentOptions, PlannedDocument } from "./plan-document.ts";
import type { PlanAnswer, PlanJob } from "./plan-thread-entry.ts";

/** The largest documents take five seconds of CPU time, and on a busy machine several times as long. */
const MAX_JOB_MS = MINUTE;
const MAX_HEAP_MB = 512;

// One at a time: a second would double the memory.
// Process-wide: jobs of all servers wait for the one thread.
const queue = new FairQueue();
// Process-wide: the thread keeps nothing of what it has read.
let thread: JobThread<PlanJob, PlanAnswer> | undefined;

/**
 * Makes tools of a document in a thread, one document at a time and alternating between environments. Throws
 * invalid_body for one that cannot be read within the bounds.
 */
export async function planInThread(
  { environment }: Pick<EnvironmentContext, "environment">,
  text: string,
  options: DocumentOptions,
): Promise<PlannedDocument> {
  const answer = await queue.run(environment.id, async () => await plan({ text, options }));
  if (answer?.kind === "planned") return answer.planned;
  if (answer?.kind === "broken") throw new Error(`a document could not be read: ${answer.reason}`);
  throw invalid(
    answer?.reason ??
      `The document takes more than ${MAX_JOB_MS / SECOND} s or ${MAX_HEAP_MB} MB to read: choose operations by include, or send a smaller one.`,
  );
}

async function plan(job: PlanJob): Promise<PlanAnswer | undefined> {
  const own = thread ?? start();
  thread = own;
  const timer = setTimeout(() => void own[Symbol.asyncDispose](), MAX_JOB_MS);
  try {
    return await own.run(job);
  } finally {
    clearTimeout(timer);
  }
}

function start(): JobThread<PlanJob, PlanAnswer> {
  const entry = new URL(`./plan-thread-entry${extname(import.meta.url)}`, import.meta.url);
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
  const started: JobThread<PlanJob, PlanAnswer> = new JobThread({
    ...{ entry, resourceLimits },
    onEnd: () => {
      if (thread === started) thread = undefined;
    },
  });
  return started;
}

export function invalid(message: string): AppError {
  const details = [{ code: "custom", message, path: ["document"] }];
  return new AppError("invalid_body", message, { details });
}
