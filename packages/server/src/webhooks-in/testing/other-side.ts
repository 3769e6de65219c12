import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Said, Sending } from "./other-side-entry.ts";

/** A provider that sends and a customer that receives, in a thread. */
export interface OtherSide extends AsyncDisposable {
  /** Of the customer. */
  readonly url: string;
  send(sending: Sending): Promise<{ status: number; bytes: number }>;
  /** Length of the next body that the customer receives. */
  receive(): Promise<number>;
}

export async function startOtherSide(): Promise<OtherSide> {
  const entry = new URL("./other-side-entry.ts", import.meta.url);
  const worker = new Worker(entry, { execArgv: [] });
  const next = async <Kind extends Said["kind"]>(kind: Kind) => {
    for (;;) {
      const [said]: Said[] = await once(worker, "message");
      if (isKind(said, kind)) return said;
    }
  };
  const { port } = await next("listens");
  return {
    url: `http://127.0.0.1:${port}`,
    async send(sending) {
      const answered = next("answered");
      worker.postMessage(sending);
      return await answered;
    },
    receive: async () => (await next("received")).bytes,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

function isKind<Kind extends Said["kind"]>(
  said: Said | undefined,
  kind: Kind,
): said is Extract<Said, { kind: Kind }> {
  return said?.kind === kind;
}

/** CPU time of the calling thread, in milliseconds. */
export interface Cost {
  readonly all: number;
  /** The longest iteration of its event loop. */
  readonly longestBlockMs: number;
}

/** What the work costs. Watching the event loop costs as well: `all` holds that too where they are watched. */
export async function costOf(work: () => Promise<unknown>, watchesBlocks: boolean): Promise<Cost> {
  const before = process.threadCpuUsage();
  let last = before;
  let longestBlockMs = 0;
  let isOver = !watchesBlocks;
  const turn = (): void => {
    longestBlockMs = Math.max(longestBlockMs, sum(process.threadCpuUsage(last)));
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  if (watchesBlocks) setImmediate(turn);
  await work();
  isOver = true;
  return { all: sum(process.threadCpuUsage(before)), longestBlockMs };
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return Math.round((user + system) / 1000);
}
