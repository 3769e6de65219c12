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
  table?: string;
  schema?: string;
  bucket?: string;
  region?: string;
  endpoint?: string;
  prefix?: string;
  format: string;
  interval?: string;
  models?: string;
  integrations?: string;
}

/** Arguments show in lists of processes; these do not. */
const URL_VARIABLE = "DESTINATION_URL";
const KEY_VARIABLE = "DESTINATION_ACCESS_KEY_ID";
const SECRET_VARIABLE = "DESTINATION_SECRET_ACCESS_KEY";

const destination = z.looseObject({ id: z.string(), name: z.string() });
const one = z.looseObject({ data: destination });
const all = z.looseObject({ data: z.array(destination) });

export function destinationsCommand(): Command {
  const destinations = new Command("destinations").description(
    "your own Postgres tables and buckets to which changes of records are delivered",
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
  add("create", "deliver to a table of Postgres, or to a bucket of S3-compatible storage")
    .argument("<name>", "name of the destination")
    .option("--table <name>", `the table, which the server creates in the database ${URL_VARIABLE}`)
    .option("--schema <name>", "schema of the table (default: public)")
    .option("--bucket <name>", `the bucket, for the keys ${KEY_VARIABLE} and ${SECRET_VARIABLE}`)
    .option("--region <name>", "region of the bucket")
    .option("--endpoint <url>", "address of an S3-compatible service other than Amazon S3")
    .option("--prefix <folder>", "folder of the bucket (default: jackfield)")
    .option("--format <format>", "of the objects: ndjson or parquet", "parquet")
    .option("--interval <seconds>", "least time between two deliveries (default: 60)")
    .option("--models <list>", "only these models, such as Contact,Deal")
    .option("--integrations <list>", "only records of these integrations")
    .addHelpText(
      "after",
      "\nThe API key needs environment:destinations:write.\n" +
        "\nExample:\n  $ DESTINATION_URL=postgres://user:password@db.example.com/app jackfield destinations create warehouse --table provider_records" +
        "\n  $ jackfield destinations create lake --bucket example-records --region eu-central-1",
    )
    .action(create);
  add("pause", "deliver nothing until it is resumed")
    .argument("<name>", "name of the destination")
    .action(async (name: string, options: CommonOptions) => await setPaused(name, options, true));
  add("resume", "continue where it stopped, or try again now")
    .argument("<name>", "name of the destination")
    .action(async (name: string, options: CommonOptions) => await setPaused(name, options, false));
  add("restart", "deliver all records again, to an emptied table or a new folder")
    .argument("<name>", "name of the destination")
    .action(async (name: string, { environment }: CommonOptions) => {
      const platform = findPlatform(environment);
      const path = `${await findPath(platform, name)}/restart`;
      printJson((await callPlatform(platform, { method: "POST", path, answer: one })).data);
    });
  add("delete", "end the delivery; what was delivered stays as it is")
    .argument("<name>", "name of the destination")
    .action(async (name: string, { environment }: CommonOptions) => {
      const platform = findPlatform(environment);
      const path = await findPath(platform, name);
      await callPlatform(platform, { method: "DELETE", path, answer: z.unknown() });
    });
  return destinations;
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const { models, integrations } = options;
  const body = {
    name,
    ...targetOf(options),
    ...(models !== undefined && { models: models.split(",") }),
    ...(integrations !== undefined && { integrations: integrations.split(",") }),
  };
  const created = await callPlatform(findPlatform(options.environment), {
    ...{ method: "POST", path: "/records/destinations", body, answer: one },
  });
  printJson(created.data);
}

function targetOf(options: CreateOptions): object {
  const { table, schema, bucket, region, endpoint, prefix, format, interval } = options;
  if ((table === undefined) === (bucket === undefined)) {
    throw new UserError("Give either --table, for a database, or --bucket.");
  }
  if (table !== undefined) {
    const url = readVariable(URL_VARIABLE, "the URL of the database");
    return { type: "postgres", url, table, ...(schema !== undefined && { schema }) };
  }
  if (region === undefined) throw new UserError("Give --region, such as eu-central-1.");
  return {
    ...{ type: "s3", bucket, region, format },
    access_key_id: readVariable(KEY_VARIABLE, "an access key of the bucket"),
    secret_access_key: readVariable(SECRET_VARIABLE, "its secret"),
    ...(endpoint !== undefined && { endpoint }),
    ...(prefix !== undefined && { prefix }),
    ...(interval !== undefined && { interval_seconds: Number(interval) }),
  };
}

function readVariable(name: string, what: string): string {
  // biome-ignore lint/style/noProcessEnv: secrets that are no arguments
  const value = process.env[name];
  if (value === undefined || value === "") throw new UserError(`Set ${name} to ${what}.`);
  return value;
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
