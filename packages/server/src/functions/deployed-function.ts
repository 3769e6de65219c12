import type { AgentHints, FlowConfig } from "@jackfield/contract";

export const functionTypes = ["sync", "action", "on-event"] as const;
export type FunctionType = (typeof functionTypes)[number];

/** What a function may send where, and whether it sees credentials. */
export interface FunctionReach {
  /** Normalized entries; absent: any host. */
  readonly egress?: readonly string[];
  readonly credentials?: "proxy-only";
}

interface CommonDefinition extends FunctionReach {
  readonly description: string | undefined;
  readonly scopes: readonly string[];
  readonly endpoints: FlowConfig["endpoints"];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly features: readonly string[];
  /** Schemas by name: models, input, metadata. Shown to callers; the server never runs them. */
  readonly jsonSchema: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface SyncDefinition extends CommonDefinition {
  readonly models: readonly string[];
  /** As the author wrote it, such as `every 5 minutes`; checked when it was deployed. */
  readonly frequency: string;
  readonly autoStart: boolean;
  readonly trackDeletes: boolean;
  /** Absent: as the environment's settings say. */
  readonly onInvalidRecord?: FlowConfig["on_invalid_record"];
  readonly syncType: "full" | "incremental";
  /** Name of the schema of the connection's metadata. */
  readonly metadataModel: string | undefined;
  readonly webhookSubscriptions: readonly string[];
}

export interface ActionDefinition extends CommonDefinition {
  /** Names of output schemas. */
  readonly models: readonly string[];
  /** Name of the input schema. */
  readonly input: string | undefined;
  /** What the author says of it as a tool. */
  readonly agent?: AgentHints | undefined;
}

export type FunctionEvent =
  | "post-connection-creation"
  | "pre-connection-deletion"
  | "validate-connection";

export interface OnEventDefinition extends FunctionReach {
  readonly event: FunctionEvent;
}

export interface Definitions {
  readonly sync: SyncDefinition;
  readonly action: ActionDefinition;
  readonly "on-event": OnEventDefinition;
}

/** A function as it is deployed now; a new deployment of the same name keeps the id. */
export interface DeployedFunctionOf<Type extends FunctionType> {
  readonly id: number;
  readonly integrationId: number;
  readonly type: Type;
  readonly name: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly source: "repo" | "standalone";
  readonly definition: Definitions[Type];
  readonly bundleSha256: Buffer;
  readonly deployedAt: Date;
  /** The canary whose version this is; absent of the deployed version. */
  readonly canaryId?: string;
}

export type DeployedFunction = { [Type in FunctionType]: DeployedFunctionOf<Type> }[FunctionType];
export type DeployedSync = DeployedFunctionOf<"sync">;
export type DeployedAction = DeployedFunctionOf<"action">;

const FIRST_VERSION = { sync: "1", action: "1", "on-event": "0.0.1" } as const;

/** The version of new content without one of its own: the last number of the previous one goes up by 1. */
export function nextVersion(type: FunctionType, previous: string | undefined): string {
  if (previous === undefined) return FIRST_VERSION[type];
  const match = /(?<!\d)\d+(?=\D*$)/.exec(previous);
  if (match === null) return `${previous}-1`;
  const [digits] = match;
  const after = previous.slice(match.index + digits.length);
  return `${previous.slice(0, match.index)}${BigInt(digits) + 1n}${after}`;
}
