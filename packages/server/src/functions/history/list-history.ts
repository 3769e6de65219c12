import type { deployedFunctionRoutes, RouteOutput } from "@jackfield/contract";
import { AppError, addMs, DAY, type EnvironmentContext, keysetCursor } from "#foundation";
import { getIntegration, listIntegrationKeys } from "#integrations";
import { presentFunction } from "../deployed/present-function.ts";
import type { FunctionName } from "../deployed/require-function.ts";
import { requireFunction } from "../deployed/require-function.ts";
import type { DeployedFunction, FunctionType } from "../deployed-function.ts";
import { listFunctionsById } from "../get-function.ts";
import { flushRunCounts } from "../run-counts/count-run.ts";
import { listRunSums, type RunSums } from "../run-counts/store.ts";
import { findBundle } from "../store.ts";
import type { PastDeployment } from "./deployment.ts";
import {
  listDeploymentRows,
  listFunctionPositions,
  listVersionRows,
  type VersionRow,
} from "./store.ts";

type Routes = typeof deployedFunctionRoutes;
type ListedFunction = RouteOutput<Routes["listEnvironmentFunctions"]>["data"][number];
type FunctionVersion = RouteOutput<Routes["listFunctionVersions"]>["data"][number];
export type PresentedDeployment = RouteOutput<Routes["listPastDeployments"]>["data"][number];

export interface HistoryPage {
  readonly limit: number;
  readonly cursor: string | undefined;
}

interface FunctionQuery extends HistoryPage {
  readonly integrationKey: string | undefined;
  readonly type: FunctionType | undefined;
  readonly search: string | undefined;
}

const functionCursors = keysetCursor({ radix: 36, separator: "/", ids: "number" });
const deploymentCursors = keysetCursor({ radix: 36, separator: "." });

/** Functions of all integrations, newest first; throws unknown_provider_config and invalid_cursor. */
export async function listEnvironmentFunctions(
  ctx: EnvironmentContext,
  { integrationKey, type, search, limit, cursor }: FunctionQuery,
): Promise<{ data: ListedFunction[]; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : functionCursors.read(cursor);
  const integration =
    integrationKey === undefined ? undefined : await getIntegration(ctx, integrationKey);
  const filter = { integrationId: integration?.id, type, search, after, limit: limit + 1 };
  const rows = await listFunctionPositions(ctx.db, ctx.environment.id, filter);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const functions = await listFunctionsById(
    ctx,
    page.map(({ id }) => id),
  );
  const data = await presentAll(
    ctx,
    page.flatMap(({ id }) => functions.get(id) ?? []),
  );
  const next = last && functionCursors.write({ createdAt: last.createdAt, id: String(last.id) });
  return { data, next_cursor: next ?? null };
}

async function presentAll(
  ctx: EnvironmentContext,
  functions: readonly DeployedFunction[],
): Promise<ListedFunction[]> {
  await flushRunCounts(ctx);
  const functionIds = functions.map(({ id }) => id);
  const since = addMs(ctx.clock.now(), -DAY);
  const [keys, sums] = await Promise.all([
    listIntegrationKeys(ctx, [...new Set(functions.map(({ integrationId }) => integrationId))]),
    listRunSums(ctx.db, ctx.environment.id, { functionIds, since }),
  ]);
  const sumsOf = new Map(sums.map((sum) => [sum.functionId, sum]));
  return functions.map((fn) => ({
    ...presentFunction(fn),
    provider_config_key: keys.get(fn.integrationId) ?? "",
    ...presentSums(sumsOf.get(fn.id)),
  }));
}

function presentSums(sums: RunSums | undefined) {
  if (sums === undefined) return { runs_24h: 0, failures_24h: 0, last_run: null };
  return {
    runs_24h: sums.runs,
    failures_24h: sums.failures,
    last_run: {
      at: sums.lastAt.toISOString(),
      succeeded: sums.lastSucceeded,
      operation_id: sums.lastOperationId,
    },
  };
}

interface Versions {
  readonly fn: DeployedFunction;
  readonly rows: readonly VersionRow[];
}

/** What a function is and was, newest first; also of one that was deployed before versions were kept. */
async function findVersions(ctx: EnvironmentContext, name: FunctionName): Promise<Versions> {
  const { fn } = await requireFunction(ctx, name);
  const rows = await listVersionRows(ctx.db, ctx.environment.id, fn);
  return { fn, rows: rows.filter(({ kind }) => kind !== "removed") };
}

export async function listFunctionVersions(
  ctx: EnvironmentContext,
  name: FunctionName,
): Promise<FunctionVersion[]> {
  const { fn, rows } = await findVersions(ctx, name);
  const current = rows.find(
    (row) => row.version === fn.version && row.bundleSha256?.equals(fn.bundleSha256) === true,
  );
  return rows.map((row) => ({
    id: row.id,
    version: row.version ?? "",
    current: row === current,
    deployed_at: row.deployedAt.toISOString(),
    deployment_id: row.deploymentId,
    source: row.source ?? "repo",
  }));
}

/** The author's file of a version; throws not_found when it is not kept. */
export async function getVersionCode(
  ctx: EnvironmentContext,
  { versionId, ...name }: FunctionName & { readonly versionId: number },
): Promise<{ type: FunctionType; version: string; code: string }> {
  const { fn, rows } = await findVersions(ctx, name);
  const row = rows.find(({ id }) => id === versionId);
  const sha256 = row?.bundleSha256 ?? undefined;
  const bundle = sha256 && (await findBundle(ctx.db, ctx.environment.id, sha256));
  if (row === undefined || bundle === undefined) {
    throw new AppError(
      "not_found",
      "The function has no such version; GET …/versions lists those that are kept.",
    );
  }
  return { type: fn.type, version: row.version ?? "", code: bundle.source };
}

/** Newest first; throws invalid_cursor. */
export async function listPastDeployments(
  ctx: EnvironmentContext,
  { limit, cursor }: HistoryPage,
): Promise<{ data: PresentedDeployment[]; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : deploymentCursors.read(cursor);
  const rows = await listDeploymentRows(ctx.db, ctx.environment.id, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next_cursor = last === undefined ? null : deploymentCursors.write(last);
  return { data: await presentDeployments(ctx, page), next_cursor };
}

export async function presentDeployments(
  ctx: EnvironmentContext,
  deployments: readonly PastDeployment[],
): Promise<PresentedDeployment[]> {
  const ids = deployments.flatMap(({ summary }) => summary.changes.map((c) => c.integrationId));
  const keys = await listIntegrationKeys(ctx, [...new Set(ids)]);
  return deployments.map((deployment) => ({
    id: deployment.id,
    way: deployment.way,
    state: deployment.state,
    actor: { ...deployment.actor },
    plan: {
      ...deployment.summary,
      changes: deployment.summary.changes.map(({ integrationId, type, name, change }) => ({
        provider_config_key: keys.get(integrationId) ?? "",
        ...{ type, name, change },
      })),
    },
    error: deployment.error,
    operation_id: deployment.operationId,
    rollback_of: deployment.rollbackOf,
    commit: deployment.commitId,
    branch: deployment.branch,
    created_at: deployment.createdAt.toISOString(),
  }));
}
