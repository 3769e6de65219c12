import { deployedFunctionRoutes, type RouteOutput } from "@jackfield/contract";
import { Command, Option } from "commander";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

interface EgressOptions {
  environment: string;
  type?: string;
  connection?: string;
  days: string;
  json?: true;
}

const { getFunction, getFunctionEgress } = deployedFunctionRoutes;
type Egress = RouteOutput<typeof getFunctionEgress>["data"];

export function egressCommand(): Command {
  return new Command("egress")
    .description("show what a deployed function sent to each host")
    .argument("<function>", "as integration/name, such as crm/contacts")
    .option("-e, --environment <name>", "environment of the function", "dev")
    .addOption(
      new Option("--type <type>", "needed where functions of several types have the name").choices([
        "sync",
        "action",
        "on-event",
      ]),
    )
    .option("--connection <id>", "only what it sent for this connection")
    .option("--days <count>", "how many days back, at most 30", "7")
    .option("--json", "print the API's answer as JSON")
    .addHelpText("after", "\nExample:\n  $ jackfield egress crm/contacts --days 30")
    .action(showEgress);
}

async function showEgress(named: string, options: EgressOptions): Promise<void> {
  const [integration, name, ...rest] = named.split("/");
  if (!integration || !name || rest.length > 0) {
    throw new UserError(`Name the function as integration/name, such as crm/contacts: ${named}`, {
      exitCode: exitCodes.usage,
    });
  }
  const { type, connection, days } = options;
  const platform = findPlatform(options.environment);
  const path = `/integrations/${encodeURIComponent(integration)}/functions/${encodeURIComponent(name)}`;
  const ofType = { ...(type !== undefined && { type }) };
  const answer = await callPlatform(platform, {
    ...{ method: "GET", path: `${path}/egress` },
    query: {
      days,
      ...ofType,
      ...(connection !== undefined && { connection_id: connection }),
    },
    answer: getFunctionEgress.success.schema,
  });
  if (options.json === true) return printJson(answer);
  const { data: fn } = await callPlatform(platform, {
    ...{ method: "GET", path, query: ofType },
    answer: getFunction.success.schema,
  });
  const hosts = fn.egress ?? ["*"];
  const may = hosts.includes("*") ? "any host" : hosts.join(", ") || "no host";
  const sees = fn.credentials === undefined ? "" : ", and sees no credentials";
  console.log(`It may send to ${may}${sees}.`);
  present(answer.data, days);
}

function present({ total, hosts, connections }: Egress, days: string): void {
  const span = `${days} ${days === "1" ? "day" : "days"}`;
  if (total.calls === 0 && total.refused === 0) {
    console.log(`It sent nothing in ${span}.`);
    return;
  }
  const head = ["CALLS", "REFUSED", "SENT", "RECEIVED"];
  const toRow = ({ calls, refused, bytes_sent: sent, bytes_received: received }: Egress["total"]) =>
    [calls, refused, sent, received].map(String);
  printTable([
    ["HOST", ...head],
    ...hosts.map((row) => [row.host ?? "(others)", ...toRow(row.sums)]),
    [`all, ${span}`, ...toRow(total)],
  ]);
  console.log("");
  printTable([
    ["CONNECTION", ...head],
    ...connections.map((row) => [row.connection_id ?? "(deleted)", ...toRow(row.sums)]),
  ]);
}
