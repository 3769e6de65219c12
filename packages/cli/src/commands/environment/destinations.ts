import { Command } from "commander";
import * as z from "zod";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { UserError } from "../../user-error.ts";

interface CommonOptions {
  environment: string;
}

interface CreateOptions extends CommonOptions {
  table: string;
  schema?: string;
  models?: string;
  integrations?: string;
}

/** Arguments show in lists of processes; this does not. */
const URL_VARIABLE = "DESTINATION_URL";

const destination = z.looseObject({ id: z.string(), name: z.string() });
const one = z.looseObject({ data: destination });
const all = z.looseObject({ data: z.array(destination) });

export function destinationsCommand(): Command {
  const destinations = new Command("destinations").description(
    "tables of your own Postgres to which changes of records are delivered",
  );
  const add = (name: string, description: string) =>
    destinations
      .command(name)
      .description(description)
      .option("-e, --environment <name>", "environment of the records", "dev");
  add("list", "print the destinations with how far each is, as JSON").action(
    async ({ environment }: CommonOptions) => {
      printJson((await list(findPlatform(environment))).data);
    },
  );
  add("create", `deliver to the database of the variable ${URL_VARIABLE}`)
    .argument("<name>", "name of the destination")
    .requiredOption("--table <name>", "the table, which the server creates")
    .option("--schema <name>", "schema of the table (default: public)")
    .option("--models <list>", "only these models, such as Contact,Deal")
    .option("--integrations <list>", "only records of these integrations")
    .addHelpText(
      "after",
      "\nThe API key needs environment:destinations:write.\n" +
        "\nExample:\n  $ DESTINATION_URL=postgres://user:password@db.example.com/app jackfield destinations create warehouse --table provider_records",
    )
    .action(create);
  add("pause", "deliver nothing until it is resumed")
    .argument("<name>", "name of the destination")
    .action(async (name: string, options: CommonOptions) => await setPaused(name, options, true));
  add("resume", "continue where it stopped, or try again now")
    .argument("<name>", "name of the destination")
    .action(async (name: string, options: CommonOptions) => await setPaused(name, options, false));
  add("restart", "empty the table, and deliver all records again")
    .argument("<name>", "name of the destination")
    .action(async (name: string, { environment }: CommonOptions) => {
      const platform = findPlatform(environment);
      const path = `${await findPath(platform, name)}/restart`;
      printJson((await callPlatform(platform, { method: "POST", path, answer: one })).data);
    });
  add("delete", "end the delivery; the table stays as it is")
    .argument("<name>", "name of the destination")
    .action(async (name: string, { environment }: CommonOptions) => {
      const platform = findPlatform(environment);
      const path = await findPath(platform, name);
      await callPlatform(platform, { method: "DELETE", path, answer: z.unknown() });
    });
  return destinations;
}

async function create(name: string, options: CreateOptions): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: a password that is no argument
  const url = process.env[URL_VARIABLE];
  if (url === undefined || url === "") {
    throw new UserError(`Set ${URL_VARIABLE} to the URL of the database.`);
  }
  const { table, schema, models, integrations } = options;
  const body = {
    ...{ name, type: "postgres", url, table },
    ...(schema !== undefined && { schema }),
    ...(models !== undefined && { models: models.split(",") }),
    ...(integrations !== undefined && { integrations: integrations.split(",") }),
  };
  const created = await callPlatform(findPlatform(options.environment), {
    ...{ method: "POST", path: "/records/destinations", body, answer: one },
  });
  printJson(created.data);
}

async function setPaused(
  name: string,
  { environment }: CommonOptions,
  paused: boolean,
): Promise<void> {
  const platform = findPlatform(environment);
  const path = await findPath(platform, name);
  const changed = await callPlatform(platform, {
    ...{ method: "PATCH", path, body: { paused }, answer: one },
  });
  printJson(changed.data);
}

async function list(platform: Platform): Promise<z.output<typeof all>> {
  return await callPlatform(platform, {
    ...{ method: "GET", path: "/records/destinations", answer: all },
  });
}

async function findPath(platform: Platform, name: string): Promise<string> {
  const { data } = await list(platform);
  const found = data.find((each) => each.name === name || each.id === name);
  if (found !== undefined) return `/records/destinations/${found.id}`;
  throw new UserError(`There is no destination ${name}: jackfield destinations list`);
}
