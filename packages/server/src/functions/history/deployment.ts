import type { Actor, OperationId } from "#foundation";
import type { Changes } from "../deploy/compare-functions.ts";
import type { FunctionType } from "../deployed-function.ts";

declare const deploymentBrand: unique symbol;
export type DeploymentId = string & { readonly [deploymentBrand]: true };

/** How a deployment came. */
export type DeploymentWay = "upload" | "staged" | "bundle" | "source" | "rollback" | "canary";

/** A deployment as it went. */
export interface PastDeployment {
  readonly id: DeploymentId;
  readonly way: DeploymentWay;
  readonly state: "success" | "failed";
  readonly actor: DeploymentActor;
  readonly summary: DeploymentSummary;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly operationId: OperationId | null;
  readonly rollbackOf: DeploymentId | null;
  readonly commitId: string | null;
  readonly branch: string | null;
  readonly createdAt: Date;
}

/** Of what a deployment was made, as far as its caller said so. */
export interface Revision {
  readonly commitId: string | null;
  readonly branch: string | null;
}

export const noRevision: Revision = { commitId: null, branch: null };

/** An empty text says nothing; a branch that cannot be decoded is shown as it came. */
export function readRevision(headers: {
  readonly "svc-commit"?: string | undefined;
  readonly "svc-branch"?: string | undefined;
}): Revision {
  return {
    commitId: headers["svc-commit"] || null,
    branch: decode(headers["svc-branch"] ?? "") || null,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface DeploymentActor {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}

export interface DeploymentSummary {
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly changes: readonly {
    readonly integrationId: number;
    readonly type: FunctionType;
    readonly name: string;
    readonly change: "new" | "updated" | "removed";
  }[];
}

export const nothingChanged: DeploymentSummary = {
  created: 0,
  updated: 0,
  removed: 0,
  unchanged: 0,
  changes: [],
};

/** More would be read by nobody, and make the list slow. */
const SHOWN_CHANGES = 100;

export function summarizeChanges({ changes, removed }: Changes): DeploymentSummary {
  const count = (wanted: string) => changes.filter(({ kind }) => kind === wanted).length;
  const changed = changes.flatMap(({ kind, uploaded: { integrationId, type, name } }) =>
    kind === "unchanged" ? [] : [{ integrationId, type, name, change: kind }],
  );
  const gone = removed.map(({ integrationId, type, name }) => ({
    ...{ integrationId, type, name },
    change: "removed" as const,
  }));
  return {
    created: count("new"),
    updated: count("updated"),
    removed: removed.length,
    unchanged: count("unchanged"),
    changes: [...changed, ...gone].slice(0, SHOWN_CHANGES),
  };
}

/** With the name that a key or a user has now: it may be gone when somebody reads it. */
export function describeActor(actor: Actor): DeploymentActor {
  switch (actor.kind) {
    case "key":
      return { type: actor.kind, id: actor.keyId, name: actor.keyName ?? null };
    case "user":
      return { type: actor.kind, id: actor.userId, name: actor.userName };
    default:
      return { type: actor.kind, id: null, name: null };
  }
}
