import { recordRoutes } from "@jackfield/contract";
import { Command } from "commander";
import { callPlatform } from "../../deploy/call-platform.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { UserError } from "../../user-error.ts";

interface PruneOptions {
  environment: string;
  integration: string;
  connection: string;
  variant?: string;
  before: string;
  yes?: true;
}

const { countPrunableRecords, pruneRecords } = recordRoutes;

/** Emptied in one call. */
const BATCH = 10_000;

export function pruneCommand(): Command {
  return new Command("prune")
    .description("remove the content of a model's records that have not changed since a time")
    .argument("<model>", "the model of the records")
    .requiredOption("-i, --integration <id>", "integration of the connection")
    .requiredOption("--connection <id>", "connection whose records are meant")
    .requiredOption("--before <time>", "records that last changed before it, in ISO 8601")
    .option("-e, --environment <name>", "environment of the records", "dev")
    .option("--variant <name>", "variant of the sync that saved them")
    .option("--yes", "prune; without it the records are only counted")
    .addHelpText(
      "after",
      "\nThe API key needs environment:records:read, and environment:records:write to prune.\n" +
        "\nExample:\n" +
        "  $ jackfield records prune Contact -i hubspot --connection c1 --before 2026-01-01T00:00:00Z",
    )
    .action(prune);
}

async function prune(model: string, options: PruneOptions): Promise<void> {
  const { before, variant, integration, connection } = options;
  if (Number.isNaN(Date.parse(before))) throw new UserError(`${before} is not a time in ISO 8601.`);
  const platform = findPlatform(options.environment);
  const headers = { "provider-config-key": integration, "connection-id": connection };
  const time = new Date(before).toISOString();
  const wanted = { model, ...(variant !== undefined && { variant }), before: time };
  if (options.yes !== true) {
    const path = `/records/prune/count?${new URLSearchParams(wanted)}`;
    const answer = countPrunableRecords.success.schema;
    const found = await callPlatform(platform, { method: "GET", path, headers, answer });
    const count = `${found.has_more ? "at least " : ""}${found.count}`;
    console.log(`${count} records would lose their content. Add --yes to prune them.`);
    return;
  }
  let pruned = 0;
  for (let hasMore = true; hasMore; ) {
    const body = { ...wanted, limit: BATCH };
    const answer = pruneRecords.success.schema;
    const path = "/records/prune";
    const done = await callPlatform(platform, { method: "PATCH", path, headers, body, answer });
    pruned += done.count;
    hasMore = done.has_more;
  }
  console.log(`${pruned} records lost their content.`);
}
