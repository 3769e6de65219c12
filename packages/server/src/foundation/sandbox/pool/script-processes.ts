import { scriptLimits } from "@jackfield/contract/script-limits";
import { MAX_TASKS } from "../launch/choose-plan.ts";
import { type LaunchPlan, launch } from "../launch/launch.ts";
import { prepareRunnerFile } from "../launch/runner-file.ts";
import type { SandboxLog, ScriptProcesses } from "../types.ts";
import { Pool } from "./pool.ts";

const MIB = 1024 * 1024;
/** Beyond the heap: Node's own program, the parser, and array buffers of the script. */
const WATCHED_MB = 192;
const MEMORY_MB = 128;
const LEAST_PROCESSES = 3;
const MOST_PROCESSES = 16;
const SPARES = 2;

interface Options {
  readonly dataDir: string;
  readonly memoryMb: number;
  readonly log: SandboxLog;
}

/**
 * Processes of scripts, behind the same walls as those of functions: each serves one script, and a few are ready ahead.
 * None is started before the first script is expected.
 */
export function openScriptProcesses(
  plan: LaunchPlan,
  { dataDir, memoryMb, log }: Options,
): ScriptProcesses & AsyncDisposable {
  let opened: Promise<Pool> | undefined;
  const open = async () => {
    const file = await prepareRunnerFile(dataDir, "script");
    const program = { path: process.execPath, files: [file], tasks: MAX_TASKS };
    const own = { ...plan, cell: await plan.wall.prepare(program) };
    const { heapMb } = scriptLimits;
    const fitting = Math.floor(memoryMb / MEMORY_MB);
    return new Pool({
      maxChildren: Math.min(MOST_PROCESSES, Math.max(LEAST_PROCESSES, fitting)),
      ...{ maxIdle: SPARES, spares: SPARES, surplusMs: 0, runsOfALife: 1, heapMb, log },
      watchedBytes: (heapMb + WATCHED_MB) * MIB,
      launch: () => launch(own, { heapMb }),
    });
  };
  const getPool = async () => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    run: async (run) => await (await getPool()).run(run),
    warm: () => {
      getPool().then(
        (pool) => pool.keepSpare(),
        (error: unknown) => log("sandbox.start_failed", { error }),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
