import { isDeepStrictEqual } from "node:util";
import type { Deployment } from "@jackfield/contract";
import type { DeployedFunction } from "../deployed-function.ts";
import type { UploadedFunction } from "./read-upload.ts";

export interface Change {
  readonly uploaded: UploadedFunction;
  readonly kind: "new" | "updated" | "unchanged";
  readonly current: DeployedFunction | undefined;
}

export interface Changes {
  /** One for each function of the upload, in its order. */
  readonly changes: readonly Change[];
  readonly removed: readonly DeployedFunction[];
  /** Models that a sync writes now and none will. */
  readonly deletedModels: readonly string[];
}

/** What a deployment does to what is deployed; decides alone and writes nothing. */
export function compareFunctions(
  uploaded: readonly UploadedFunction[],
  deployed: readonly DeployedFunction[],
  scope: Pick<Deployment, "reconcile" | "deployMode"> & { integrationIds: ReadonlySet<number> },
): Changes {
  const byKey = new Map(deployed.map((fn) => [keyOf(fn), fn]));
  const uploadedKeys = new Set(uploaded.map(keyOf));
  const changes = uploaded.map((fn) => toChange(fn, byKey.get(keyOf(fn))));
  const removed = deployed.filter((fn) => !uploadedKeys.has(keyOf(fn)) && isRemovable(fn, scope));
  return { changes, removed, deletedModels: findDeletedModels(uploaded, deployed, removed) };
}

function keyOf({
  integrationId,
  type,
  name,
}: Pick<DeployedFunction, "integrationId" | "type" | "name">) {
  return JSON.stringify([integrationId, type, name]);
}

function toChange(uploaded: UploadedFunction, current: DeployedFunction | undefined): Change {
  if (current === undefined) return { uploaded, kind: "new", current };
  const isSame =
    (uploaded.version ?? current.version) === current.version &&
    uploaded.bundleSha256.equals(current.bundleSha256) &&
    isDeepStrictEqual(uploaded.definition, current.definition);
  return { uploaded, kind: isSame ? "unchanged" : "updated", current };
}

/** A deployment never reaches beyond what it names. */
function isRemovable(fn: DeployedFunction, scope: Parameters<typeof compareFunctions>[2]): boolean {
  if (!scope.reconcile || scope.deployMode === "single") return false;
  return scope.deployMode === "all" || scope.integrationIds.has(fn.integrationId);
}

function findDeletedModels(
  uploaded: readonly UploadedFunction[],
  deployed: readonly DeployedFunction[],
  removed: readonly DeployedFunction[],
): string[] {
  const replacedKeys = new Set([...uploaded, ...removed].map(keyOf));
  const stay = deployed.filter((fn) => !replacedKeys.has(keyOf(fn)));
  const after = new Set([...stay, ...uploaded].flatMap(modelsOf).map(({ key }) => key));
  const lost = deployed.flatMap(modelsOf).filter(({ key }) => !after.has(key));
  return [...new Set(lost.map(({ model }) => model))].toSorted();
}

function modelsOf(fn: DeployedFunction | UploadedFunction): { key: string; model: string }[] {
  if (fn.type !== "sync") return [];
  return fn.definition.models.map((model) => ({ key: `${fn.integrationId} ${model}`, model }));
}
