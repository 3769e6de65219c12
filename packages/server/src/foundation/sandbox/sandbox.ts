import { totalmem } from "node:os";
import { openFunctionGroups } from "./groups/function-groups.ts";
import { choosePlan, MAX_TASKS } from "./launch/choose-plan.ts";
import { confineProgram } from "./launch/confine.ts";
import { launch } from "./launch/launch.ts";
import { prepareRunnerFile } from "./launch/runner-file.ts";
import { Pool } from "./pool/pool.ts";
import { openScriptProcesses } from "./pool/script-processes.ts";
import type { Sandbox, SandboxOptions } from "./types.ts";
import { isStrict } from "./walls/index.ts";

/** Beyond the heap: what the kernel's limit allows, and Node's own program. */
const WATCHED_MB = 400;
/** What precedes a program on its command line may be there next to it. */
const MAX_WRAPPERS = 8;
const MIB = 1024 * 1024;
const DEFAULT_HEAP_MB = 256;
const DEFAULT_MAX_IDLE = 2;
const SURPLUS_MS = 5000;
/** For long runs, short ones and other environments; where heaps that are a quarter full leave room for it. */
const WANTED_CHILDREN = 3;
/** Of the machine's memory, for scripts of agents. */
const SCRIPT_MEMORY = 0.125;
/** A process at rest; next to it half of the heap is counted, since few runs fill theirs. */
const BASE_MB = 64;

/** Finds out how isolated function processes can be here; the first of them starts with the first run. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const heapMb = options.heapMb ?? DEFAULT_HEAP_MB;
  const memoryMb = options.memoryMb ?? availableMb() / 2;
  const runnerFile = await prepareRunnerFile(options.dataDir);
  const { plan: found, reason } = await choosePlan({ ...options, runnerFile, heapMb });
  const { level, filtersCalls } = found.wall;
  if (options.strict === true && !isStrict(level)) {
    found.userIds?.[Symbol.dispose]();
    throw new Error(
      `Functions cannot have namespaces and a root of their own here (${reason}). Allow them, or start without the strict sandbox.`,
    );
  }
  const grouped = await openFunctionGroups({
    memoryBytes: (heapMb + WATCHED_MB) * MIB,
    tasks: MAX_TASKS + MAX_WRAPPERS,
    log: options.log,
    ...options.cgroups,
  });
  const groups = "groups" in grouped ? grouped.groups : undefined;
  const plan = { ...found, groups };
  const limits = groups === undefined ? "process" : "cgroup";
  const given = {
    filtersCalls,
    limits,
    ...(reason !== undefined && { reason }),
    ...("reason" in grouped && { limitsReason: grouped.reason }),
  } as const;
  options.log("sandbox.isolation", { isolation: level, ...given });
  const pool = new Pool({
    maxChildren: countChildren(memoryMb, heapMb),
    ...(options.environmentShare !== undefined && { environmentShare: options.environmentShare }),
    maxIdle: options.maxIdle ?? DEFAULT_MAX_IDLE,
    surplusMs: SURPLUS_MS,
    heapMb,
    watchedBytes: (heapMb + WATCHED_MB) * MIB,
    launch: () => launch(plan, { heapMb }),
    log: options.log,
  });
  const scripts = openScriptProcesses(plan, {
    ...{ dataDir: options.dataDir, log: options.log },
    memoryMb: availableMb() * SCRIPT_MEMORY,
  });
  const confined: Record<string, Promise<string>> = {};
  return {
    run: (run) => pool.run(run),
    scripts,
    confine: async (program, { readsFolder = false } = {}) => {
      confined[program] ??= confineProgram(plan, {
        ...{ program, readsFolder },
        dataDir: options.dataDir,
      });
      return await confined[program].catch((error: unknown) => {
        delete confined[program];
        throw error;
      });
    },
    describe: () => ({
      level,
      ...given,
      children: pool.childCount,
      idle: pool.idleCount,
    }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([pool.close(), scripts[Symbol.asyncDispose]()]);
      await groups?.[Symbol.asyncDispose]();
      plan.userIds?.[Symbol.dispose]();
    },
  };
}

function countChildren(memoryMb: number, heapMb: number): number {
  const usual = Math.floor(memoryMb / (BASE_MB + heapMb / 2));
  const most = Math.floor(memoryMb / (BASE_MB + heapMb / 4));
  return Math.max(1, usual, Math.min(WANTED_CHILDREN, most));
}

function availableMb(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return (constrained > 0 ? Math.min(constrained, total) : total) / MIB;
}
