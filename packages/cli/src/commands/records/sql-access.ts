import { Command } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { findPlatform } from "../../platform/find-platform.ts";

interface Options {
  environment: string;
}

const PATH = "/records/sql-access";
const answer = z.looseObject({ data: z.unknown() });

export function sqlAccessCommand(): Command {
  const access = new Command("sql-access").description(
    "the read-only login of the database, with views of an environment's records",
  );
  const add = (name: string, description: string) =>
    access
      .command(name)
      .description(description)
      .option("-e, --environment <name>", "environment of the records", "dev");
  add("show", "print where the database is, the role and its views, as JSON").action(
    async (options: Options) => await print("GET", PATH, options),
  );
  add("create", "make the login, and print it with its password, which is shown this once")
    .addHelpText(
      "after",
      "\nThe API key needs environment:sql_access:write.\n" +
        '\nExample:\n  $ psql "$(jackfield sql-access create --environment prod | jq -r .url)" -c "select id, data from contact"',
    )
    .action(async (options: Options) => await print("POST", PATH, options));
  add(
    "rotate",
    "make a new password, shown this once, and end the sessions of the one before",
  ).action(async (options: Options) => await print("POST", `${PATH}/rotate`, options));
  add("revoke", "end its sessions, and drop it with its views").action(
    async ({ environment }: Options) => {
      const platform = findPlatform(environment);
      await callPlatform(platform, { method: "DELETE", path: PATH, answer: z.unknown() });
    },
  );
  return access;
}

async function print(
  method: "GET" | "POST",
  path: string,
  { environment }: Options,
): Promise<void> {
  const { data } = await callPlatform(findPlatform(environment), { method, path, answer });
  printJson(data);
}
