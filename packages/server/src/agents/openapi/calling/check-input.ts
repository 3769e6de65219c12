import { extname } from "node:path";
import { type EnvironmentContext, JobThread, SECOND } from "#foundation";
import { FairQueue } from "#foundation/fair-slots";
import { invalidInput } from "../../sources/refused-call.ts";
import type { CheckAnswer, CheckJob } from "./check-thread-entry.ts";

/** A schema and its patterns are a stranger's, and may take any time. */
const MAX_JOB_MS = 2 * SECOND;
const MAX_HEAP_MB = 128;

// Process-wide: jobs of all servers wait for the one thread.
const queue = new FairQueue();
// Process-wide: the thread keeps compiled schemas, by their content.
let thread: JobThread<CheckJob, CheckAnswer> | undefined;

/**
 * Checks an input by the whole schema of its tool, in a thread: one input at a time, alternating between environments.
 * Throws RefusedCall.
 */
export async function checkInput(
  { environment }: Pick<EnvironmentContext, "environment">,
  job: CheckJob,
): Promise<void> {
  const answer = await queue.run(environment.id, async () => await check(job));
  if (answer === undefined) {
    throw invalidInput(`The input could not be checked by its schema within ${MAX_JOB_MS} ms.`);
  }
  if (answer.fault !== undefined) throw invalidInput(answer.fault);
}

const first: CheckJob = { digest: "", schema: {}, input: {} };

async function check(job: CheckJob): Promise<CheckAnswer | undefined> {
  const isNew = thread === undefined;
  const own = thread ?? start();
  thread = own;
  // Starting takes a while on a busy machine, and is not the job's.
  if (isNew) await own.run(first);
  const timer = setTimeout(() => void own[Symbol.asyncDispose](), MAX_JOB_MS);
  try {
    return await own.run(job);
  } finally {
    clearTimeout(timer);
  }
}

function start(): JobThread<CheckJob, CheckAnswer> {
  const entry = new URL(`./check-thread-entry${extname(import.meta.url)}`, import.meta.url);
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
  const started: JobThread<CheckJob, CheckAnswer> = new JobThread({
    ...{ entry, resourceLimits },
    onEnd: () => {
      if (thread === started) thread = undefined;
    },
  });
  return started;
}
