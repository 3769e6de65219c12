import type { RunError, RunFacts } from "@jackfield/contract/runtime";
import type { ScriptFacts } from "@jackfield/contract/script";
import type { SandboxLevel, UserIdRange } from "./walls/index.ts";

/** One call that a running function makes; `params` are checked against the runtime contract. */
export interface Call {
  readonly method: string;
  readonly params: unknown;
  readonly body: Uint8Array;
  /** The process's number of it; of the calls of one run no two have the same. */
  readonly id?: string | undefined;
}

export interface CallAnswer {
  readonly value: unknown;
  readonly body?: Uint8Array;
  /** Of a run that is played: the moment of its tape at which the answer came. */
  readonly moment?: string | undefined;
}

/** How a run came to its process; times in milliseconds. */
export interface RunStart {
  /** Until a process was given to it. */
  readonly waitMs: number;
  /** From then until that process had loaded or cleaned what the run needs; a first process that died is included. */
  readonly startMs: number;
  /** The process had to load the function's code, and perhaps to start before. */
  readonly isCold: boolean;
}

export interface SandboxRun {
  readonly environmentId: string;
  /** Whose run it is: a process serves one connection at a time, and no other sees what it leaves. */
  readonly connection: string;
  /** `id` names the content: two bundles with one id are the same code. */
  readonly bundle: { readonly id: string; readonly filename: string; readonly code: string };
  readonly facts: RunFacts | ScriptFacts;
  /** JSON text. */
  readonly input?: Uint8Array;
  /** From the moment a process is given to the run. */
  readonly timeoutMs: number;
  /** How long the run may wait for a process; it then fails with `overloaded`. As long as it takes unless given. */
  readonly startTimeoutMs?: number | undefined;
  /** Cancels the run: it is asked to stop, and its process is killed 2 s later if it has not. */
  readonly signal?: AbortSignal;
  /** Throws a CallError to tell the function what went wrong; any other error is hidden from it. */
  onCall(call: Call): Promise<CallAnswer>;
  /** Called just before the function's code begins, where the process says so: what came before it. */
  readonly onBegin?: ((start: RunStart) => void) | undefined;
  /** Whether the run has a process for itself; others share one with runs of the same bundle. */
  readonly exclusive: boolean;
  /** 0 for a run that no function waits for. Each level beyond has processes of its own, so none waits for itself. */
  readonly depth?: number;
}

/** `output` is what the function's process claims to be JSON: parse it with care. */
export type SandboxOutcome =
  | { readonly kind: "done"; readonly output: Uint8Array; readonly interrupted: boolean }
  | { readonly kind: "failed"; readonly error: RunError };

export interface Sandbox extends AsyncDisposable {
  /** Waits for a process if all are busy; resolves for every ending and rejects for none. */
  run(run: SandboxRun): Promise<SandboxOutcome>;
  /** For scripts of agents: processes of their own, each for one run. */
  readonly scripts: ScriptProcesses;
  /**
   * Path of an executable that starts another program as isolated as functions are and, where the kernel can, with
   * at most 512 MiB; it needs no right to reach its own folder. What lies in that folder comes along if it is asked for.
   */
  confine(program: string, options?: { readonly readsFolder?: boolean }): Promise<string>;
  /** `reason` says why no more isolated level is reached, `limitsReason` why there are no limits by cgroup. */
  describe(): {
    level: SandboxLevel;
    /** Whether a filter keeps system calls from processes that no function needs. */
    filtersCalls: boolean;
    limits: "cgroup" | "process";
    reason?: string;
    limitsReason?: string;
    children: number;
    idle: number;
  };
}

/** A script is a run whose facts are those of a script, and whose bundle is its text in TypeScript. */
export interface ScriptProcesses {
  run(run: SandboxRun): Promise<SandboxOutcome>;
  /** Has processes ready for scripts that are about to come. */
  warm(): void;
}

export type SandboxLog = (event: string, fields: Record<string, unknown>) => void;

export interface SandboxOptions {
  readonly dataDir: string;
  readonly log: SandboxLog;
  /** Memory of all function processes together, in MiB; default half of what the machine grants. */
  readonly memoryMb?: number;
  /** JavaScript heap of one function process, in MiB; default 256. */
  readonly heapMb?: number;
  /** Processes kept at rest; default 2. */
  readonly maxIdle?: number;
  /** Of all processes, how many one environment may have at once; default 0.8. */
  readonly environmentShare?: number;
  /** As root: the user ids for function processes; a range that nothing else uses unless given. */
  readonly userIds?: UserIdRange | undefined;
  /** Where cgroup v2 is mounted, and the file that says where in it the server is; those of the system unless given. */
  readonly cgroups?: { readonly mount: string; readonly membership: string } | undefined;
  /** Refuse to start where functions cannot have namespaces and a root of their own. */
  readonly strict?: boolean;
}
