import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../testing/accounts.ts";
import { type OauthApp, startOauthApp } from "../testing/oauth-app.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
beforeAll(async () => {
  app = await startOauthApp();
  await app.deploy("whose", "return (await svc.getConnection()).connection_id;", "read");
  await app.putToolset("helper");
});
afterAll(async () => await app[Symbol.asyncDispose]());

/** As a worker keeps what the provider has said. */
async function keepAccount(connectionId: string, account: object): Promise<void> {
  await sql`
    update connections set account = ${JSON.stringify(account)}::jsonb
     where environment_id = ${app.ctx.environment.id} and connection_id = ${connectionId}`.execute(
    app.ctx.db,
  );
}

test("what the provider says of accounts distinguishes them", async () => {
  const { ctx, crm } = app;
  await connect(ctx, { integration: crm, connectionId: "ada-second", endUserId: "ada" });
  await connect(ctx, { integration: crm, connectionId: "ada-third", endUserId: "ada" });
  const email = "ada@example.com";
  await keepAccount("ada-crm", { id: "1", label: "ada-crm-of-acme", email });
  await keepAccount("ada-second", { id: "2", label: "Two words", email, workspace: "globex" });
  // The name of another connection is nobody's name.
  await keepAccount("ada-third", { id: "3", label: "ada-crm" });
  const body = { toolset: "helper", end_user_id: "ada" };
  const { data: session } = (await app.api("POST", "/agent/sessions", body)).body;
  const call = async (name: string, args: object = {}) => {
    const { mcp_url: url, token } = session;
    const { result } = (await new RawOauth(app).tool(url, token, name, args)).body;
    return { ...result, value: JSON.parse(result.content[0].text) };
  };

  const accounts = await call("accounts");
  const unnamed = await call("crm__whose");
  const named = await call("crm__whose", { account: "globex" });

  expect(accounts.value.accounts).toEqual([
    expect.objectContaining({ account: "ada-third", identity: "ada-crm" }),
    {
      ...{ integration: "crm", account: "globex", state: "ok", identity: email },
      at_provider: { id: "2", label: "Two words", email, workspace: "globex" },
    },
    expect.objectContaining({ account: "ada-crm-of-acme", identity: email }),
  ]);
  expect(unnamed.value).toMatchObject({
    code: "account_required",
    details: {
      accounts: ["ada-third", "globex", "ada-crm-of-acme"],
      at_provider: { globex: { id: "2" }, "ada-third": { id: "3" } },
    },
  });
  expect(named.value).toBe("ada-second");
  expect(named._meta).toMatchObject({
    "dev.jackfield/account": { alias: "globex", identity: email },
  });
});
