import { sql } from "kysely";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";

/** A server whose environment has integrations with many connections. */
export interface LargeEnvironment extends AsyncDisposable {
  readonly api: ApiUnderTest;
  send(method: string, path: string, body?: object): Promise<{ status: number; text: string }>;
  /** An integration with so many connections that each have a schedule. */
  fill(integration: string, count: number): Promise<void>;
}

export async function startLargeEnvironment(): Promise<LargeEnvironment> {
  const api = await startApi({ SVC_ROLES: "api" });
  const key = await api.keyOf("dev", ["environment:*"]);
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const create = async (path: string, body: object) => {
    const { status, text } = await send("POST", path, body);
    if (status >= 300) throw new Error(text);
  };
  const fill = async (integration: string, count: number) => {
    const integration_config = { base_url: "http://127.0.0.1:9" };
    await create("/integrations", {
      ...{ provider: "unauthenticated", unique_key: integration, integration_config },
    });
    await create("/connections", {
      ...{ provider_config_key: integration, connection_id: "first" },
      credentials: { type: "NONE" },
    });
    const sync = { type: "sync", syncName: "contacts", providerConfigKey: integration };
    const models_json_schema = { definitions: { Contact: { type: "object" } } };
    const fileBody = { js: "module.exports = {};", ts: "" };
    const flow = { ...sync, runs: "every day", auto_start: false, models: ["Contact"] };
    const flowConfigs = [{ ...flow, models_json_schema, fileBody }];
    await create("/sync/deploy", { flowConfigs, reconcile: false });
    await multiply(api, integration, count);
  };
  return {
    ...{ api, send, fill },
    [Symbol.asyncDispose]: async () => await api[Symbol.asyncDispose](),
  };
}

async function multiply(
  { database: { db } }: ApiUnderTest,
  integration: string,
  count: number,
): Promise<void> {
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, tags, created_at,
                             updated_at)
    select gen_random_uuid(), c.environment_id, c.integration_id, 'more ' || n, c.auth_mode, c.credentials,
           json_build_object('end_user_id', 'user ' || n), c.created_at, c.updated_at
      from connections c join integrations i on i.id = c.integration_id, generate_series(2, ${count}::int) n
     where i.unique_key = ${integration}`.execute(db);
  await sql`
    insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms, anchored_at, created_at,
                       updated_at)
    select gen_random_uuid(), c.environment_id, c.uuid, f.id, f.name, false, 60000, now(), now(), now()
      from connections c join integrations i on i.id = c.integration_id join functions f on f.integration_id = i.id
     where i.unique_key = ${integration} and c.connection_id <> 'first'`.execute(db);
}
