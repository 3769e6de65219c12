import { recordHistoryRoutes } from "@jackfield/contract";
import { Command } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { UserError } from "../../user-error.ts";

interface HistoryOptions {
  environment: string;
  keep?: string;
  end?: true;
}

const { listRecordHistories, keepRecordHistory } = recordHistoryRoutes;

export function historyCommand(): Command {
  return new Command("history")
    .description("keep earlier versions of a model's records, to read them as they were")
    .argument("[model]", "the model; without it the models with a history are listed")
    .option("-e, --environment <name>", "environment of the records", "dev")
    .option("--keep <days>", "keep earlier versions for 1 to 90 days")
    .option("--end", "stop keeping versions, and delete those that are stored")
    .addHelpText(
      "after",
      "\nExamples:\n  $ jackfield records history\n" +
        "  $ jackfield records history Contact --keep 30",
    )
    .action(changeHistory);
}

async function changeHistory(model: string | undefined, options: HistoryOptions): Promise<void> {
  const { keep, end } = options;
  const platform = findPlatform(options.environment);
  if (model === undefined) {
    const answer = listRecordHistories.success.schema;
    const path = "/records/history";
    printJson((await callPlatform(platform, { method: "GET", path, answer })).data);
    return;
  }
  const path = `/records/history/${encodeURIComponent(model)}`;
  if (end === true) {
    await callPlatform(platform, { method: "DELETE", path, answer: z.unknown() });
    return;
  }
  if (keep === undefined) throw new UserError("Give either --keep or --end.");
  const answer = keepRecordHistory.success.schema;
  const body = { days: Number(keep) };
  printJson((await callPlatform(platform, { method: "PUT", path, body, answer })).data);
}
