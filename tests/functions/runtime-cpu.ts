import { cpuMsOf } from "../cpu-time.ts";
import type { RuntimeHost } from "./runtime-host.ts";
import type { ForgedCall } from "./runtime-shapes.ts";

const MB = 1e6;
/** What a start and an end of a process cost, and what a megabyte may. */
const ALLOWED_MS = { once: 250, perMb: 50 };

function bytesOf({ params, body }: ForgedCall): number {
  const { head = "", unit = "", times = 0, tail = "" } = body ?? {};
  return params.length + head.length + unit.length * times + tail.length;
}

/** Milliseconds of the main thread's CPU beyond what the calls' bytes may cost, the better of two times. */
export async function excessMs(
  host: RuntimeHost,
  calls: readonly ForgedCall[],
): Promise<{ excess: number; reported: string }> {
  const megabytes = calls.reduce((sum, call) => sum + bytesOf(call), 0) / MB;
  const spent: number[] = [];
  let reported = "";
  for (let turn = 0; turn < 2; turn += 1) {
    const cpuMs = await cpuMsOf(async () => {
      const outcome = await host.send(calls);
      reported = outcome.kind === "failed" ? outcome.error.message : outcome.output.toString();
    });
    spent.push(cpuMs);
    if (Math.min(...spent) <= ALLOWED_MS.once + ALLOWED_MS.perMb * megabytes) break;
  }
  return { excess: Math.min(...spent) - ALLOWED_MS.once - ALLOWED_MS.perMb * megabytes, reported };
}
