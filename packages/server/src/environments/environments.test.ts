import { afterAll, expect, test } from "vitest";
import {
  authenticateKey,
  createApiKey,
  createEnvironment,
  environmentHandlers,
  getPrincipalIfCached,
  getWebhookTargets,
  listEnvironmentVariables,
  listSigningKeys,
  parseAuthorization,
  presetKey,
  setEnvironmentVariable,
} from "#environments";
import { type EnvironmentContext, MINUTE, Secret } from "#foundation";
import { createTestContext } from "#foundation/testing";

const setup = await createTestContext();
afterAll(async () => await setup[Symbol.asyncDispose]());

async function makeKey(ctx: EnvironmentContext, displayName: string): Promise<string> {
  const { id, accountId } = ctx.environment;
  return await createApiKey(ctx, {
    accountId,
    environmentId: id,
    displayName,
    scopes: ["environment:proxy"],
  });
}

test("a key tells its environment and scopes, and is nowhere in the database", async () => {
  const { ctx } = setup;

  const key = await makeKey(ctx, "first");
  const principal = await authenticateKey(ctx, key);

  expect(key).toMatch(/^svc_key_[A-Za-z0-9_-]{49}$/);
  expect(principal.environment).toEqual(ctx.environment);
  expect(principal.scopes).toEqual(["environment:proxy"]);
  const { rows } = await setup.database.pool.query("select k::text from api_keys k");
  expect(JSON.stringify(rows)).not.toContain(key.slice(8, 40));
});

test("a key that expires works until then, and says when it ended", async () => {
  await using clocked = await createTestContext();
  const { ctx, clock } = clocked;
  const { id: environmentId, accountId } = ctx.environment;
  const expiresAt = new Date(ctx.clock.now().getTime() + MINUTE);
  const wanted = { accountId, environmentId, displayName: "ends", scopes: ["environment:proxy"] };
  const key = await createApiKey(ctx, { ...wanted, expiresAt });

  expect(await authenticateKey(ctx, key)).toMatchObject({ expiresAt });
  clock.advance(MINUTE);
  expect(getPrincipalIfCached(ctx, key)).toBeUndefined();
  await expect(authenticateKey(ctx, key)).rejects.toMatchObject({
    code: "expired_api_key",
    message: `The API key "ends" expired at ${expiresAt.toISOString()}.`,
  });
});

test.each([
  ["", "invalid_secret_key_format"],
  ["svc_key_short", "invalid_secret_key_format"],
  ["00000000-0000-4000-8000-000000000000", "unknown_account"],
])("the text %s is refused as %s", async (key, code) => {
  await expect(authenticateKey(setup.ctx, key)).rejects.toMatchObject({ code });
});

test("a key with one character changed has a wrong form, and a session token is recognized", async () => {
  const key = await makeKey(setup.ctx, "typo");
  const changed = key.slice(0, 20) + (key[20] === "A" ? "B" : "A") + key.slice(21);

  await expect(authenticateKey(setup.ctx, changed)).rejects.toMatchObject({
    code: "invalid_secret_key_format",
  });
  await expect(authenticateKey(setup.ctx, `svc_connect_session_${"0".repeat(64)}`)).rejects.toThrow(
    /connect session token/,
  );
});

test("the header may leave the scheme out, but not be missing or empty", () => {
  expect(parseAuthorization("Bearer k")).toBe("k");
  expect(parseAuthorization("k")).toBe("k");
  expect(() => parseAuthorization(undefined)).toThrow(
    expect.objectContaining({ code: "missing_auth_header" }),
  );
  expect(() => parseAuthorization("Bearer ")).toThrow(
    expect.objectContaining({ code: "malformed_auth_header" }),
  );
});

test("last use is recorded, at most once a minute", async () => {
  const { ctx, clock, database } = setup;
  const key = await makeKey(ctx, "used");
  const lastUsed = async () => {
    const { rows } = await database.pool.query(
      "select last_used_at from api_keys where display_name = 'used'",
    );
    return rows[0].last_used_at;
  };

  await authenticateKey(ctx, key);
  const first = await lastUsed();
  clock.advance(1000);
  await authenticateKey(ctx, key);
  const second = await lastUsed();
  clock.advance(MINUTE);
  await authenticateKey(ctx, key);

  expect(second).toEqual(first);
  expect(await lastUsed()).toEqual(clock.now());
});

test("a preset key works, a later one takes its place, and one of another form is refused", async () => {
  const { ctx } = setup;
  const { id: environmentId, accountId } = ctx.environment;
  const first = "7d3b1c7e-8f6b-4c2e-9d83-1a2b3c4d5e6f";
  const second = "7d3b1c7e-8f6b-4c2e-9d83-1a2b3c4d5e70";
  const preset = async (key: string) =>
    await presetKey(ctx, { accountId, environmentId, key: new Secret(key) });

  await preset(first);
  await preset(first);
  expect((await authenticateKey(ctx, first)).scopes).toEqual(["environment:*"]);
  await preset(second);

  await expect(authenticateKey(ctx, first)).rejects.toMatchObject({ code: "unknown_account" });
  expect((await authenticateKey(ctx, second)).environment?.id).toBe(environmentId);
  await expect(preset("password")).rejects.toThrow(/SVC_BOOTSTRAP_KEY/);
});

test("variables are sealed and belong to one environment", async () => {
  const { ctx, database } = setup;
  const other = await setup.addEnvironment();

  await setEnvironmentVariable(ctx, { name: "A", value: "canary-1" });
  await setEnvironmentVariable(ctx, { name: "A", value: "canary-2" });

  expect(await listEnvironmentVariables(ctx)).toEqual([{ name: "A", value: "canary-2" }]);
  expect(await listEnvironmentVariables(other)).toEqual([]);
  const { rows } = await database.pool.query("select value from environment_variables");
  expect(rows.some(({ value }: { value: Buffer }) => value.includes("canary"))).toBe(false);
});

test("a new environment has a signing key, all toggles on and no address", async () => {
  const { ctx } = setup;
  const id = await createEnvironment(ctx, {
    accountId: ctx.environment.accountId,
    name: "fresh",
    isProduction: false,
  });
  const own = { ...ctx, environment: { ...ctx.environment, id } };

  const { urls, settings } = await getWebhookTargets(own);
  const keys = await listSigningKeys(own);

  expect(urls).toEqual([]);
  expect(settings.on_sync_completion_always).toBe(true);
  expect(keys).toHaveLength(1);
  expect(Buffer.from(keys[0]?.key.reveal().slice(6) ?? "", "base64")).toHaveLength(32);
});

test("webhook settings change only where given, and private addresses are refused", async () => {
  const closed = await createTestContext({ egressAllow: [] });
  const { accountId } = closed.ctx.environment;
  const environment = { accountId, name: "own", isProduction: false };
  const id = await createEnvironment(closed.ctx, environment);
  const own = { ...closed.ctx, environment: { ...environment, id } };
  const { updateWebhookSettings } = environmentHandlers;
  const input = (body: object) => ({
    body,
    params: undefined,
    query: undefined,
    headers: undefined,
  });

  const { data } = await updateWebhookSettings(
    own,
    input({ primary_url: "https://hooks.example/x", on_sync_error: false }),
  );

  expect(data).toMatchObject({
    primary_url: "https://hooks.example/x",
    secondary_url: "",
    on_sync_error: false,
    on_auth_creation: true,
  });
  await expect(
    updateWebhookSettings(own, input({ secondary_url: "http://127.0.0.1/x" })),
  ).rejects.toMatchObject({ code: "destination_not_allowed" });
  await closed[Symbol.asyncDispose]();
});
