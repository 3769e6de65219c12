import { apiKeyRoutes } from "@jackfield/contract";
import { Command, Option } from "commander";
import type * as z from "zod";
import { callPlatform, type Platform } from "../../deploy/call-platform.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findAccountPlatform, findPlatform } from "../../platform/find-platform.ts";
import { UserError } from "../../user-error.ts";

interface OwnerOptions {
  environment: string;
  account?: true;
}

interface ListOptions extends OwnerOptions {
  json?: true;
}

interface ReplaceOptions extends ListOptions {
  graceHours: string;
}

type ListedKey = z.infer<typeof apiKeyRoutes.listApiKeys.success.schema>["data"][number];

/** Keys of an environment or of the account, and where they are. */
interface Keys {
  readonly platform: Platform;
  readonly path: string;
}

const { listApiKeys, replaceApiKeys, deleteApiKey } = apiKeyRoutes;
const HOUR_SECONDS = 3600;
const WEEK_HOURS = 168;

export function listKeysCommand(): Command {
  return ownedBy(new Command("list"))
    .description("list keys, when they were last used, and which of them are replaced")
    .option("--json", "print the API's answer as JSON")
    .action(listKeys);
}

export function replaceKeysCommand(): Command {
  return ownedBy(new Command("replace"))
    .argument("<key...>", "names or ids of the keys to replace")
    .description("create a key like each of these, print it once, and end these after a time")
    .option(
      "--grace-hours <hours>",
      "how long the replaced keys still work, up to 168; 0: they stop at once",
      String(WEEK_HOURS),
    )
    .option("--json", "print the API's answer as JSON")
    .addHelpText(
      "after",
      "\nThe new keys are on standard output, a line each. `jackfield keys list` shows when an old one was\n" +
        "last used; `jackfield keys delete` ends it earlier.\n" +
        "\nExamples:\n  $ jackfield keys replace backend\n" +
        "  $ jackfield keys replace --account ops --grace-hours 0",
    )
    .action(replaceKeys);
}

export function deleteKeyCommand(): Command {
  return ownedBy(new Command("delete"))
    .argument("<key>", "name or id of the key")
    .description("delete a key; it stops working at once")
    .action(deleteKey);
}

function ownedBy(command: Command): Command {
  return command
    .option("-e, --environment <name>", "environment of the keys", "dev")
    .addOption(
      new Option("--account", "keys of the account, with the key in SVC_SECRET_KEY_ACCOUNT"),
    );
}

function keysOf({ environment, account }: OwnerOptions): Keys {
  return account === true
    ? { platform: findAccountPlatform(), path: "/account/api-keys" }
    : { platform: findPlatform(environment), path: "/environment/api-keys" };
}

async function listKeys({ json, ...owner }: ListOptions): Promise<void> {
  const listed = await readKeys(keysOf(owner));
  if (json === true) return printJson({ data: listed });
  const nameOf = new Map(listed.map(({ id, display_name: name }) => [id, name]));
  printTable([
    ["ID", "NAME", "LAST USED", "FROM", "EXPIRES", "REPLACED BY"],
    ...listed.map((key) => [
      key.id,
      key.display_name,
      key.last_used_at ?? "never",
      key.last_used_from?.user_agent ?? key.last_used_from?.address ?? "-",
      key.expires_at ?? "-",
      key.replaced_by === null ? "-" : (nameOf.get(key.replaced_by) ?? key.replaced_by),
    ]),
  ]);
}

async function replaceKeys(
  wanted: string[],
  { graceHours, json, ...owner }: ReplaceOptions,
): Promise<void> {
  const grace = secondsOf(graceHours);
  const keys = keysOf(owner);
  const known = await readKeys(keys);
  const answer = await callPlatform(keys.platform, {
    path: `${keys.path}/replace`,
    body: { key_ids: wanted.map((one) => findKey(known, one).id), grace_seconds: grace },
    answer: replaceApiKeys.success.schema,
  });
  if (json === true) return printJson(answer);
  for (const { key, replaced_key_id: id, works_until: end } of answer.data) {
    const old = end === null ? "has stopped working" : `works until ${end}`;
    console.error(
      `"${key.display_name}" is replaced; the old key (${id}) ${old}. The new one is shown once; only its hash is stored:`,
    );
    console.log(key.secret);
  }
}

async function deleteKey(wanted: string, owner: OwnerOptions): Promise<void> {
  const keys = keysOf(owner);
  const { id, display_name: name } = findKey(await readKeys(keys), wanted);
  await callPlatform(keys.platform, {
    ...{ method: "DELETE", path: keys.path, body: { key_id: id } },
    answer: deleteApiKey.success.schema,
  });
  console.log(`The key "${name}" is deleted.`);
}

async function readKeys({ platform, path }: Keys): Promise<ListedKey[]> {
  const answer = listApiKeys.success.schema;
  return (await callPlatform(platform, { method: "GET", path, answer })).data;
}

function findKey(known: readonly ListedKey[], wanted: string): ListedKey {
  const key = known.find(({ id, display_name: name }) => id === wanted || name === wanted);
  if (key !== undefined) return key;
  const names = known.map(({ display_name: name }) => `"${name}"`).join(", ");
  throw new UserError(`There is no key "${wanted}". Keys: ${names}.`);
}

function secondsOf(hours: string): number {
  if (/^\d{1,3}$/.test(hours) && Number(hours) <= WEEK_HOURS) return Number(hours) * HOUR_SECONDS;
  throw new UserError(`--grace-hours takes a number from 0 to 168; "${hours}" is not one.`);
}
