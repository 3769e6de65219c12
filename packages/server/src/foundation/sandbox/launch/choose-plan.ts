import { readFileSync } from "node:fs";
import type { FromChild } from "@jackfield/contract/runtime";
import { Channel } from "../child/channel.ts";
import {
  claimUserIds,
  listWalls,
  type Program,
  type UserIdRange,
  type UserIds,
  type Wall,
} from "../walls/index.ts";
import { killLaunched, type LaunchPlan, launch } from "./launch.ts";

const PROBE_TIMEOUT_MS = 10_000;
/** Room next to the heap for array buffers, the young generation and the stack. */
const BUFFER_ALLOWANCE_MB = 232;
const MIB = 1024 * 1024;
/** Node has about a dozen threads, on any machine. */
export const MAX_TASKS = 64;

export interface PlanOptions {
  readonly dataDir: string;
  readonly runnerFile: string;
  readonly heapMb: number;
  readonly userIds?: UserIdRange | undefined;
  /** Instead of those that this machine may have. */
  readonly walls?: readonly Wall[];
}

export interface ChosenPlan {
  readonly plan: LaunchPlan;
  /** Why a more isolated plan was passed over. */
  readonly reason?: string;
}

/** Tries the ways to start a function process by starting one, and measures what it reserves at rest. */
export async function choosePlan(options: PlanOptions): Promise<ChosenPlan> {
  const { runnerFile, heapMb, walls = listWalls(options.dataDir) } = options;
  const program = { path: process.execPath, files: [runnerFile], tasks: MAX_TASKS };
  // The last of a level: what failed before was another way to the same.
  const reasons = new Map<string, string>();
  let userIds: UserIds | undefined;
  for (const wall of walls) {
    try {
      if (wall.needsUserId) userIds ??= await claimUserIds(options.userIds);
      const plan = await tryWall(wall, { program, heapMb, userIds });
      if (!wall.needsUserId) userIds?.[Symbol.dispose]();
      reasons.delete(wall.level);
      return reasons.size === 0 ? { plan } : { plan, reason: [...reasons.values()].join("; ") };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      reasons.set(wall.level, `${wall.level}: ${message.trim().split("\n")[0]}`);
    }
  }
  userIds?.[Symbol.dispose]();
  throw new Error(`Function processes do not start: ${[...reasons.values()].join("; ")}`);
}

/** Throws with the reason when a process behind the wall does not become ready. */
async function tryWall(
  wall: Wall,
  { program, heapMb, userIds }: { program: Program; heapMb: number; userIds: UserIds | undefined },
): Promise<LaunchPlan> {
  const cell = await wall.prepare(program);
  const plan = { wall, cell, userIds: wall.needsUserId ? userIds : undefined };
  const dataBytes = await probe(plan, heapMb);
  if (dataBytes === undefined || !wall.hasLimits) return plan;
  return { ...plan, dataLimitBytes: dataBytes + (heapMb + BUFFER_ALLOWANCE_MB) * MIB };
}

async function probe(plan: LaunchPlan, heapMb: number): Promise<number | undefined> {
  const child = launch(plan, { heapMb });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-2000);
  });
  const timer = setTimeout(() => killLaunched(child), PROBE_TIMEOUT_MS);
  const ready = Promise.withResolvers<boolean>();
  child.once("error", (error) => {
    stderr = error.message;
    ready.resolve(false);
  });
  child.once("close", () => ready.resolve(false));
  const events = {
    onMessage: (message: FromChild) => ready.resolve(message.op === "ready"),
    onBroken: () => ready.resolve(false),
  };
  const channel = new Channel(child, events, { environmentId: () => "" });
  const works = await ready.promise;
  clearTimeout(timer);
  const dataBytes = works && child.pid !== undefined ? readDataBytes(child.pid) : undefined;
  if (child.pid !== undefined) {
    killLaunched(child);
    channel.close();
    await exited;
  }
  if (!works) throw new Error(stderr.trim() || "the process ended at once");
  return dataBytes;
}

/** What the program below the wrappers has reserved: V8 alone takes over 500 MiB without using it. */
function readDataBytes(pid: number): number | undefined {
  try {
    const [child = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    if (child !== "") return readDataBytes(Number(child));
    const match = /^VmData:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return match === null ? undefined : Number(match[1]) * 1024;
  } catch {
    return undefined;
  }
}
