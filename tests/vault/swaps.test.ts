import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { slices } from "../../packages/server/src/app.ts";
import {
  createConnection,
  getConnectionByUuid,
  getFreshCredentials,
} from "../../packages/server/src/connections/index.ts";
import {
  createEnvironment,
  listEnvironmentVariables,
  listSigningKeys,
  setEnvironmentVariable,
} from "../../packages/server/src/environments/index.ts";
import {
  type ConnectionUuid,
  createLogger,
  type EnvironmentContext,
} from "../../packages/server/src/foundation/index.ts";
import { createTestContext } from "../../packages/server/src/foundation/testing/index.ts";
import {
  createIntegration,
  getIntegration,
  toAuthSubject,
} from "../../packages/server/src/integrations/index.ts";
import { allOf } from "../../packages/server/src/slice/index.ts";
import { verifySealed } from "../../packages/server/src/vault/index.ts";
import { createDeliveryWork, sendWebhook } from "../../packages/server/src/webhooks-out/index.ts";

const installation = await createTestContext();
const client = new pg.Client({ connectionString: installation.database.connectionString });
await client.connect();
afterAll(async () => {
  await client.end();
  await installation[Symbol.asyncDispose]();
});

/** One sealed text, and the verb that reads it. */
interface Cell {
  readonly table: string;
  readonly column: string;
  readonly where: string;
  readonly read: () => Promise<unknown>;
}

async function environmentWithSecrets(): Promise<EnvironmentContext> {
  const base = installation.ctx;
  const { accountId } = base.environment;
  const name = `e-${randomUUID().slice(0, 8)}`;
  const id = await createEnvironment(base, { accountId, name, isProduction: false });
  return { ...base, environment: { id, name, accountId } };
}

async function makeCells(ctx: EnvironmentContext): Promise<Cell[]> {
  const plain = { displayName: undefined, forwardWebhooks: true, custom: {}, settings: {} };
  const cells: Cell[] = [];
  for (const name of ["one", "two"]) {
    await setEnvironmentVariable(ctx, { name, value: `value of ${name}` });
    cells.push({
      table: "environment_variables",
      column: "value",
      where: `environment_id = '${ctx.environment.id}' and name = '${name}'`,
      read: async () => await listEnvironmentVariables(ctx),
    });
    const oauth = await createIntegration(ctx, {
      ...plain,
      provider: "github",
      uniqueKey: `github-${name}`,
      credentials: { type: "OAUTH2", client_id: name, client_secret: `secret of ${name}` },
      integrationConfig: {},
    });
    cells.push({
      table: "integrations",
      column: "credentials",
      where: `id = ${oauth.id}`,
      read: async () => await toAuthSubject(ctx, await getIntegration(ctx, oauth.uniqueKey), {}),
    });
    const integration = await createIntegration(ctx, {
      ...plain,
      provider: "private-api-bearer",
      uniqueKey: `api-${name}`,
      credentials: undefined,
      integrationConfig: { base_url: "https://api.example.com" },
    });
    const { connection } = await createConnection(ctx, {
      integration,
      connectionId: name,
      credentials: { type: "API_KEY", apiKey: `key of ${name}` },
      metadata: undefined,
      connectionConfig: undefined,
      tags: undefined,
      webhookUrlOverride: undefined,
    });
    cells.push(connectionCell(ctx, connection.uuid, integration));
  }
  cells.push({
    table: "webhook_signing_keys",
    column: "key",
    where: `environment_id = '${ctx.environment.id}'`,
    read: async () => await listSigningKeys(ctx),
  });
  return cells;
}

function connectionCell(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  integration: Awaited<ReturnType<typeof createIntegration>>,
): Cell {
  return {
    table: "connections",
    column: "credentials",
    where: `uuid = '${uuid}'`,
    async read() {
      const connection = await getConnectionByUuid(ctx, uuid);
      return await getFreshCredentials(ctx, { connection, integration, force: false });
    },
  };
}

async function getText({ table, column, where }: Cell): Promise<Buffer> {
  const { rows } = await client.query(`select ${column} as text from ${table} where ${where}`);
  return rows[0].text;
}

async function putText({ table, column, where }: Cell, text: Buffer): Promise<void> {
  await client.query(`update ${table} set ${column} = $1 where ${where}`, [text]);
}

/** How the verb and `verify` take the text in this place; what was there before is put back. */
async function tryText(cell: Cell, text: Buffer): Promise<{ code: string; failed: number }> {
  const before = await getText(cell);
  await putText(cell, text);
  const code = await cell.read().then(
    () => "opened",
    (error) => error.code,
  );
  const reports = await verifySealed(installation.ctx, allOf(slices, "sealedColumns"));
  await putText(cell, before);
  return { code, failed: reports.reduce((sum, { failed }) => sum + failed, 0) };
}

const refused = { code: "decryption_failed", failed: 1 };
const cells = [
  ...(await makeCells(await environmentWithSecrets())),
  ...(await makeCells(await environmentWithSecrets())),
];

test("no text opens in the place of another: rows, columns and environments swapped", async () => {
  const pairs = cells.flatMap((to) =>
    cells.filter((from) => from !== to).map((from) => ({ to, from })),
  );
  const outcomes = [];

  for (const { to, from } of pairs) outcomes.push(await tryText(to, await getText(from)));
  const untouched = await Promise.all(cells.map(async (cell) => await cell.read()));

  expect(outcomes.length).toBeGreaterThanOrEqual(100);
  expect(outcomes.filter(({ code, failed }) => code !== refused.code || failed !== 1)).toEqual([]);
  expect(untouched).toHaveLength(cells.length);
});

test("no text opens with a bit flipped, the tag cut short, or nothing left", async () => {
  for (const cell of cells.slice(0, 7)) {
    const text = await getText(cell);
    const damaged = [0, 1, 17, 29, text.byteLength - 1].map((at) => flipped(text, at));
    const short = [text.subarray(0, -1), text.subarray(0, -16), text.subarray(0, 17), Buffer.of()];

    for (const bad of [...damaged, ...short]) expect(await tryText(cell, bad)).toEqual(refused);
  }
});

test("a webhook whose body does not open is one failed attempt, tried again later and not at once", async () => {
  const ctx = await environmentWithSecrets();
  await sendWebhook(ctx, { type: "auth", body: { a: 1 }, overrideUrl: "http://127.0.0.1:9/" });
  const body = "body = set_byte(body, 40, 255 - get_byte(body, 40))";
  await client.query(`update webhook_deliveries set ${body}`);
  const lines: unknown[] = [];
  const log = {
    ...createLogger("silent"),
    error: (event: string, fields?: object) => lines.push({ event, ...fields }),
  };
  const work = createDeliveryWork();

  const first = await work.claim({ ...ctx, log }, () => {});
  await work.drain?.();
  const again = await work.claim({ ...ctx, log }, () => {});

  const { rows } = await client.query("select state, attempts from webhook_deliveries");
  expect([first.claimed, again.claimed]).toEqual([1, 0]);
  expect(rows).toEqual([{ state: "waiting", attempts: 1 }]);
  expect(lines).toContainEqual(
    expect.objectContaining({ event: "vault.decryption_failed", table: "webhook_deliveries" }),
  );
});

function flipped(text: Buffer, at: number): Buffer {
  const copy = Buffer.from(text);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
