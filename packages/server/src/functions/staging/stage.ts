import { randomUUID } from "node:crypto";
import type { StagedFunctionsPart } from "@jackfield/contract";
import { AppError, type EnvironmentContext, HOUR, Pace, type SystemContext } from "#foundation";
import { allowLongStatements, withTransaction } from "#foundation/db";
import {
  CHARACTERS_AT_ONCE,
  checkDeployment,
  requireStorableText,
} from "../deploy/check-deployment.ts";
import { readWithoutBundles } from "../deploy/read-upload.ts";
import { explainMissingModule, findMissingModule } from "../deploy/required-modules.ts";
import { resolveIntegrations } from "../deploy/resolve-integrations.ts";
import { hashBundles } from "../hash-bundles.ts";
import {
  deleteExpired,
  deleteOlderStaged,
  findStaged,
  insertStaged,
  insertStagedBundles,
  insertStagedFunctions,
  listMissingBundles,
  type StagedSettings,
  takeStagedRoom,
} from "./store.ts";

const LIFE_MS = HOUR;
/** Of one environment at once; the oldest gives way. */
const MAX_STAGED = 4;
const MAX_FUNCTIONS = 50_000;
const MAX_BYTES = 1024 ** 3;

/** Begins a deployment that comes in several requests. One that is not committed within an hour is forgotten. */
export async function stageDeployment(
  ctx: EnvironmentContext,
  settings: StagedSettings,
): Promise<{ id: string; expiresAt: Date }> {
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  const expiresAt = new Date(createdAt.getTime() + LIFE_MS);
  allowLongStatements();
  await withTransaction(ctx, async ({ db }) => {
    await insertStaged(db, ctx.environment.id, { id, settings, createdAt, expiresAt });
    await deleteOlderStaged(db, ctx.environment.id, MAX_STAGED);
  });
  return { id, expiresAt };
}

/** Adds functions, and answers with the hashes of bundles that are neither stored nor staged. */
export async function stageFunctions(
  ctx: EnvironmentContext,
  id: string,
  part: StagedFunctionsPart,
): Promise<string[]> {
  const { source } = await getStaged(ctx, id);
  await checkDeployment(ctx, part);
  const integrations = await resolveIntegrations(ctx, part);
  const functions = readWithoutBundles(part, source, integrations).map((fn) => ({
    ...fn,
    uploaded: JSON.stringify(fn),
  }));
  const bytes = functions.reduce((sum, { uploaded }) => sum + Buffer.byteLength(uploaded), 0);
  allowLongStatements();
  await withTransaction(ctx, async (inner) => {
    await takeRoom(inner, id, { functions: functions.length, bytes });
    await insertStagedFunctions(inner.db, ctx.environment.id, { id, functions });
  });
  const hashes = functions.map(({ bundleSha256 }) => bundleSha256);
  const missing = await listMissingBundles(ctx.db, ctx.environment.id, { id, hashes });
  return missing.map((hash) => hash.toString("hex"));
}

/** Adds bundles, and answers with their hashes in the order given. */
export async function stageBundles(
  ctx: EnvironmentContext,
  id: string,
  given: readonly {
    readonly js: string;
    readonly ts: string;
    readonly sourceMap?: string | undefined;
  }[],
): Promise<string[]> {
  await getStaged(ctx, id);
  await requireStorableText(given);
  let bytes = 0;
  const pace = new Pace(CHARACTERS_AT_ONCE);
  for (const [index, { js, ts, sourceMap = "" }] of given.entries()) {
    const missing = findMissingModule(js);
    if (missing !== undefined) {
      throw new AppError("invalid_body", `bundles.${index} ${explainMissingModule(missing)}`);
    }
    for (const text of [js, ts, sourceMap]) bytes += Buffer.byteLength(text);
    await pace.spend(js.length + ts.length + sourceMap.length);
  }
  const files = given.map(({ js, ts, sourceMap }) => ({ code: js, source: ts, sourceMap }));
  const hashes = await hashBundles(files);
  allowLongStatements();
  const bundles = files.flatMap((file, n) => (hashes[n] ? [{ ...file, sha256: hashes[n] }] : []));
  await withTransaction(ctx, async (inner) => {
    await takeRoom(inner, id, { functions: 0, bytes });
    await insertStagedBundles(inner.db, ctx.environment.id, { id, bundles });
  });
  return bundles.map(({ sha256 }) => sha256.toString("hex"));
}

export async function getStaged(ctx: EnvironmentContext, id: string): Promise<StagedSettings> {
  const found = await findStaged(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
  if (found === undefined) throw new AppError("staged_deployment_not_found");
  return found;
}

export async function deleteExpiredStages(ctx: SystemContext): Promise<void> {
  await deleteExpired(ctx.db, ctx.clock.now());
}

async function takeRoom(
  ctx: EnvironmentContext,
  id: string,
  added: { readonly functions: number; readonly bytes: number },
): Promise<void> {
  const limits = { maxFunctions: MAX_FUNCTIONS, maxBytes: MAX_BYTES };
  if (await takeStagedRoom(ctx.db, ctx.environment.id, { id, ...added, ...limits })) return;
  throw new AppError(
    "request_too_large",
    `A staged deployment holds at most ${MAX_FUNCTIONS} functions and ${MAX_BYTES / 1024 ** 2} MiB; deploy integration by integration.`,
  );
}
