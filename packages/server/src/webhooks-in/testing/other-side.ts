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
