import type { FunctionKind } from "@jackfield/contract/runtime";
import type { ConnectionUuid, OperationId, RunId, SyncId } from "#foundation";
import type { WithProvider } from "#integrations";
import type { RunCaller, RunEgress } from "#slice";
import type { DeployedFunction } from "../deployed-function.ts";

/** One run of a function: which one, for whom, and within which limits. */
export interface FunctionRun {
  readonly fn: DeployedFunction;
  readonly integration: WithProvider & { readonly id: number; readonly uniqueKey: string };
  readonly connection: {
    readonly uuid: ConnectionUuid;
    readonly id?: number;
    readonly connectionId: string;
  };
  readonly kind: FunctionKind;
  /** JSON text; absent for no input. */
  readonly input?: Uint8Array | undefined;
  /** Default `base`. */
  readonly variant?: string | undefined;
  /** Start of the last successful run. */
  readonly lastSyncDate?: Date | undefined;
  readonly runId: RunId;
  readonly operationId: OperationId;
  /** Milliseconds that it has waited in a queue, for its operation to show; 0 unless given. */
  readonly queueMs?: number | undefined;
  readonly timeoutMs: number;
  /** How long it may wait for a process; as long as it takes unless given. */
  readonly startTimeoutMs?: number | undefined;
  /** After this long, saving a checkpoint pauses the run (`interrupted`). */
  readonly softTimeoutMs?: number | undefined;
  /** Cancels the run, as the end of `ctx.signal` does. */
  readonly signal?: AbortSignal | undefined;
  /** Actions share a process; all other kinds have one for themselves. */
  readonly exclusive: boolean;
  /** How many functions up the one is that nobody called; 0 unless given. */
  readonly depth?: number | undefined;
  /** Who called the action, where that is an agent. */
  readonly caller?: RunCaller | undefined;
  /** Whether it may only read, also where its author does not say so. */
  readonly readsOnly?: boolean | undefined;
  /** The door of the function that calls it, which holds for it, too. */
  readonly outerEgress?: RunEgress | undefined;
  /** Whether it sees no credentials, also where its author does not say so. */
  readonly proxyOnly?: boolean | undefined;
  readonly syncId?: SyncId | undefined;
  readonly fence?: number | undefined;
}
