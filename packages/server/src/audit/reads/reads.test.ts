import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type EnvironmentContext, MINUTE } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { countCredentialRead, flushCredentialReads, MANY } from "./count-reads.ts";
import { deleteOldReads, listCredentialReads } from "./list-credential-reads.ts";

let app: TestContext;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  const { accountId } = app.ctx.environment;
  await app.database.pool.query("delete from credential_reads");
  app.clock.advance(MINUTE);
  ctx = {
    ...app.ctx,
    actor: { kind: "key", keyId: randomUUID(), keyName: "backend", accountId, scopes: [] },
  };
});

async function list(filter: object = {}, limit = 500) {
  return await listCredentialReads(ctx, { filter, limit, cursor: undefined });
}

test("reads are summed up by key, connection and minute, over processes", async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  for (let n = 0; n < 100; n += 1) countCredentialRead(ctx, one);
  await flushCredentialReads(ctx);
  countCredentialRead(ctx, one);
  countCredentialRead(ctx, two);
  app.clock.advance(MINUTE);
  countCredentialRead(ctx, one);

  const { reads } = await list();

  const found = reads.map(({ connectionUuid, reads: count }) => [connectionUuid, count]);
  expect(found[0]).toEqual([one, 1]);
  expect(found.slice(1)).toEqual(
    expect.arrayContaining([
      [one, 101],
      [two, 1],
    ]),
  );
  expect((await list({ keyId: randomUUID() })).reads).toEqual([]);
});

test("others than keys are not counted, and another account sees nothing", async () => {
  countCredentialRead({ ...ctx, actor: { kind: "system" } }, randomUUID());
  countCredentialRead(ctx, randomUUID());
  const { reads } = await list();

  const stranger = {
    kind: "key",
    keyId: randomUUID(),
    accountId: randomUUID(),
    scopes: [],
  } as const;
  const other = { filter: {}, limit: 10, cursor: undefined };

  expect(reads).toHaveLength(1);
  expect((await listCredentialReads({ ...ctx, actor: stranger }, other)).reads).toEqual([]);
});

test("of very many connections in a few seconds the rest is counted by key alone", async () => {
  for (let n = 0; n < 20_050; n += 1) countCredentialRead(ctx, randomUUID());
  await flushCredentialReads(ctx);

  const { rows } = await app.database.pool.query(
    "select count(*)::int as n, sum(reads)::int as reads, max(reads) filter (where connection_uuid = $1)::int as rest from credential_reads",
    [MANY],
  );

  expect(rows[0]).toEqual({ n: 20_001, reads: 20_050, rest: 50 });
});

test("pages hold each minute once, and old ones go", async () => {
  for (let n = 0; n < 7; n += 1) countCredentialRead(ctx, randomUUID());
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listCredentialReads(ctx, { filter: {}, limit: 3, cursor });
    seen.push(...page.reads.map(({ connectionUuid }) => connectionUuid));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);

  app.clock.advance(31 * 24 * 60 * MINUTE);
  await deleteOldReads(ctx);

  expect(new Set(seen).size).toBe(7);
  expect(seen).toHaveLength(7);
  expect((await list()).reads).toEqual([]);
  await expect(
    listCredentialReads(ctx, { filter: {}, limit: 3, cursor: "nonsense" }),
  ).rejects.toMatchObject({ code: "invalid_cursor" });
});
