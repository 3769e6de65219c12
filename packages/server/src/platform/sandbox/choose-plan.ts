import { readFileSync } from "node:fs";
import { Channel } from "./channel.ts";
import {
  candidatePlans,
  canLimitData,
  type LaunchOptions,
  type LaunchPlan,
  launch,
} from "./launch-plan.ts";

const PROBE_TIMEOUT_MS = 10_000;
/** Room beside the heap for array buffers, the young generation and the stack. */
const BUFFER_ALLOWANCE_MB = 232;
const MIB = 1024 * 1024;

export interface ChosenPlan {
  readonly plan: LaunchPlan;
  /** Why a more isolated plan was passed over. */
  readonly reason?: string;
}

/** Tries the ways to start a function process by starting one, and measures what it reserves at rest. */
export async function choosePlan(options: LaunchOptions): Promise<ChosenPlan> {
  const reasons: string[] = [];
  for (const plan of candidatePlans()) {
    const probe = await tryPlan(plan, options);
    if (!probe.works) {
      reasons.push(probe.reason);
      continue;
    }
    const limited = limitData(plan, probe.dataBytes, options.heapMb);
    if (plan.mode === "namespaces") return { plan: limited };
    const reason = reasons[0] ?? "this system has no namespaces for processes";
    return { plan: limited, reason };
  }
  throw new Error(`Function processes do not start: ${reasons.join("; ")}`);
}

type Probe = { works: true; dataBytes: number | undefined } | { works: false; reason: string };

async function tryPlan(plan: LaunchPlan, options: LaunchOptions): Promise<Probe> {
  const child = launch(plan, options);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-2000);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), PROBE_TIMEOUT_MS);
  const ready = Promise.withResolvers<boolean>();
  child.once("error", (error) => {
    stderr = error.message;
    ready.resolve(false);
  });
  child.once("close", () => ready.resolve(false));
  const channel = new Channel(child, {
    onMessage: (message) => ready.resolve(message.op === "ready"),
    onBroken: () => ready.resolve(false),
  });
  const works = await ready.promise;
  clearTimeout(timer);
  const dataBytes = works && child.pid !== undefined ? readDataBytes(child.pid) : undefined;
  if (child.pid !== undefined) {
    child.kill("SIGKILL");
    channel.close();
    await exited;
  }
  if (works) return { works, dataBytes };
  return { works, reason: stderr.trim().split("\n")[0] || "the process ended at once" };
}

function limitData(plan: LaunchPlan, dataBytes: number | undefined, heapMb: number): LaunchPlan {
  if (dataBytes === undefined || !canLimitData(plan)) return plan;
  return { ...plan, dataLimitBytes: dataBytes + (heapMb + BUFFER_ALLOWANCE_MB) * MIB };
}

/** What the program below the wrappers has reserved: V8 alone takes over 500 MiB without using it. */
function readDataBytes(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    const inner = children[0] === "" ? pid : Number(children[0]);
    const match = /^VmData:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${inner}/status`, "utf8"));
    return match === null ? undefined : Number(match[1]) * 1024;
  } catch {
    return undefined;
  }
}
