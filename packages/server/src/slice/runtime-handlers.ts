import type {
  FunctionKind,
  RuntimeMethod,
  RuntimeParams,
  RuntimeResult,
} from "@jackfield/contract/runtime";
import type { ConnectionUuid, EnvironmentContext, OperationId, RunId, SyncId } from "#foundation";

/** Who called an action and hears of it while it runs. */
export interface RunCaller {
  /** Whether a question waits for its answer: the run may then do nothing more, and its output does not count. */
  readonly isAsking: boolean;
  /**
   * Asked before a call that changes something; throws a CallError where it may not be made. `hide` takes the secrets
   * that the run was given out of what is kept of it.
   */
  admitChange?(call: RunChange, hide: <Value>(value: Value) => Value): Promise<void>;
  reportProgress(progress: RuntimeParams<"reportProgress">): void;
  /** Undefined: the question has been noted, and there is no answer yet. Throws a CallError where nobody can be asked. */
  elicit(question: RuntimeParams<"elicit">): RuntimeResult<"elicit"> | undefined;
  /** Asks the user to open an address, as `elicit` asks for a form. */
  openAddress?(asked: AskedAddress): RuntimeResult<"elicit"> | undefined;
  /** What an earlier round of this very call has kept for this one, by its id; its user was asked meanwhile. */
  readonly keptId?: string | undefined;
  /** Keeps something for the round in which the user has answered. */
  keep?(id: string): void;
}

export interface AskedAddress {
  readonly key: string;
  readonly message: string;
  readonly url: string;
}

/** A call of a run that changes something, as the run makes it. */
export interface RunChange {
  readonly method: string;
  readonly params: unknown;
  readonly body: Uint8Array;
}

/** Whose address a call goes to first: an integration's, with the hosts that it has for the connection of the call. */
export interface EgressOwner {
  readonly integrationId: number;
  hosts(): readonly string[];
}

/** What went to a host in one exchange and came back, in bytes of heads and bodies. */
export interface SentBytes {
  readonly sent: number;
  readonly received: number;
}

/** The door that everything passes which a run sends: each address of a call, also those that redirects lead to. */
export interface RunEgress {
  /** Throws `egress_refused`. Without an owner the call has no credentials. */
  admit(url: URL, owner?: EgressOwner): Promise<void>;
  count(url: URL, bytes: SentBytes): void;
}

/** For whom a call is done: known to the server, nothing of it comes from the function. */
export interface RunIdentity {
  readonly runId: RunId;
  readonly operationId: OperationId;
  readonly functionId: number;
  readonly kind: FunctionKind;
  readonly connection: ConnectionUuid;
  /** Unique key of the integration. */
  readonly integration: string;
  readonly variant: string;
  /** Models that the run may write, without the variant. */
  readonly models: readonly string[];
  readonly syncId?: SyncId | undefined;
  /** How many actions called each other to get here; 0 for a run that no function called. */
  readonly depth?: number;
  /** Who called the action, where that is an agent. */
  readonly caller?: RunCaller | undefined;
  /** What it may send where; actions that it calls pass this door, too. */
  readonly egress: RunEgress;
  /** Whether it sees no credentials, and neither do the actions that it calls. */
  readonly proxyOnly?: boolean | undefined;
  /** Whether the run may only read, and with it the actions that it calls. */
  readonly readsOnly?: boolean | undefined;
  /** Number of this run's lease; writes of an older one are refused. */
  readonly fence?: number | undefined;
}

export interface RuntimeCall<Method extends RuntimeMethod> {
  readonly run: RunIdentity;
  readonly params: RuntimeParams<Method>;
  readonly body: Uint8Array;
}

/**
 * Does one call of a running function. What it throws reaches the function: an AppError with its code, a CallError
 * of #foundation/sandbox as it is, anything else as `server_error` without its message.
 */
export type RuntimeHandler<Method extends RuntimeMethod> = (
  ctx: EnvironmentContext,
  call: RuntimeCall<Method>,
) => Promise<{ value: RuntimeResult<Method>; body?: Uint8Array }>;

/** A handler for every method of the runtime contract: a missing one is a type error in app.ts. */
export type RuntimeHandlers = { readonly [Method in RuntimeMethod]: RuntimeHandler<Method> };

/** A call before its method has chosen the type of its parameters, which the sandbox has checked. */
export interface AnyRuntimeCall {
  readonly method: string;
  readonly run: RunIdentity;
  readonly params: unknown;
  readonly body: Uint8Array;
}
