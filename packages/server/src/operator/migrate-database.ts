import { resolve } from "node:path";
import type { Config } from "#config";
import { listPendingMigrations, migrate, type PendingMigration } from "#foundation/db";
import { requireRestored } from "#foundation/db/transfer";
import { findOrStartDatabase } from "./find-or-start-database.ts";

export interface MigrationReport {
  /** What the database lacked, in order. */
  readonly pending: readonly PendingMigration[];
  /** What of it was applied: all, or nothing in a dry run. */
  readonly applied: readonly string[];
}

/**
 * Brings the schema up to date as a start does, next to a server that runs or without one. Throws an Error with
 * the cure where the database is not one that this version can continue from. Needs no master key.
 */
export async function migrateDatabase(
  config: Config,
  { dryRun }: { dryRun: boolean },
): Promise<MigrationReport> {
  await using stack = new AsyncDisposableStack();
  const url =
    config.databaseDirectUrl?.reveal() ??
    config.databaseUrl?.reveal() ??
    (await findOrStartDatabase(stack, resolve(config.dataDir)));
  const report = await migrateOne(url, { dryRun });
  const logsUrl = config.logsDatabaseUrl?.reveal();
  if (logsUrl === undefined) return report;
  const logs = await migrateOne(logsUrl, { dryRun });
  return {
    pending: [...report.pending, ...logs.pending.map((it) => ({ ...it, name: ofLogs(it.name) }))],
    applied: [...report.applied, ...logs.applied.map(ofLogs)],
  };
}

/** How the report names a migration of the database of the logs. */
function ofLogs(name: string): string {
  return `logs: ${name}`;
}

async function migrateOne(url: string, { dryRun }: { dryRun: boolean }): Promise<MigrationReport> {
  await requireRestored(url);
  const pending = await listPendingMigrations(url);
  if (dryRun || pending.length === 0) return { pending, applied: [] };
  const { applied } = await migrate(url);
  return { pending, applied };
}
