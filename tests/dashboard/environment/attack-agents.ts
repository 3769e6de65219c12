import { sql } from "kysely";
import type { PeopleUnderTest } from "../../people/people-under-test.ts";
import { beginSession, putToolset } from "../agents/fill-agents.ts";
import { attackTexts } from "./attack-texts.ts";

const environment = "dev";
const SHOWN = 24;

/** Where the screens of agents show the texts. */
export interface AttackedAgents {
  readonly session: string;
  readonly approval: string;
  readonly call: string;
  readonly revocation: string;
}

/** Tools, toolsets, calls that wait, a session and a revocation, with the texts wherever they have one of somebody. */
export async function addAgents(people: PeopleUnderTest): Promise<AttackedAgents> {
  const owner = await people.owner();
  const read = async (path: string) => {
    const { status, body, text } = await owner.call("GET", path, { environment });
    if (status !== 200) throw new Error(text);
    return String(body.data[0].id);
  };
  await addOperations(people);
  await addUpstream(people);
  for (const [at, text] of attackTexts.slice(0, SHOWN).entries()) {
    await putToolset(owner, environment, {
      ...{ name: at === 0 ? "attack" : `attack-${at}`, description: text.slice(0, 500) },
      ...{ mode: "direct", tools: [{ integration: "open" }] },
    });
  }
  const asked = { toolset: "attack", end_user_id: "u-alpha" };
  const { id: session, token } = await beginSession(owner, environment, asked);
  for (const text of attackTexts.slice(0, SHOWN)) {
    await callTool(people, token, { name: "open__set-note", text });
  }
  await callTool(people, token, { name: attackTexts[1] ?? "", text: "" });
  const rehearsal = {
    ...{ match: { provider_config_key: "open" }, rehearsal: true },
    reason: attackTexts.slice(0, 8).join(" ").slice(0, 500),
  };
  const begun = await owner.call("POST", "/revocations", { environment, body: rehearsal });
  if (begun.status !== 202) throw new Error(begun.text);
  return {
    session,
    approval: await read("/agent/approvals"),
    call: await read("/agent/calls"),
    revocation: await read("/revocations"),
  };
}

/** Operations as tools: their texts are those of who wrote the document. */
async function addOperations(people: PeopleUnderTest): Promise<void> {
  const owner = await people.owner();
  const operationOf = (operationId: string, text: string) => ({
    ...{ operationId, summary: text.slice(0, 100), description: text },
    requestBody: {
      content: { "application/json": { schema: { type: "object", description: text } } },
    },
    responses: { 200: { description: text } },
  });
  const paths = attackTexts.slice(0, SHOWN).map((text, at) => {
    const id = at === 0 ? "set-note" : `set-${at}`;
    return [`/${id}`, { post: operationOf(id, text) }];
  });
  const document = {
    openapi: "3.1.0",
    info: { title: attackTexts[0], version: attackTexts[1] },
    paths: Object.fromEntries(paths),
  };
  const { status, text } = await owner.call("PUT", "/integrations/open/openapi", {
    ...{ environment, body: { document: JSON.stringify(document) } },
  });
  if (status !== 200) throw new Error(text);
}

/** Tools of another MCP server: new ones, and one that its server has changed. */
async function addUpstream(people: PeopleUnderTest): Promise<void> {
  const owner = await people.owner();
  const integration = { provider: "mcp-public", unique_key: "desk" };
  const added = await owner.call("POST", "/integrations", { environment, body: integration });
  if (added.status !== 200) throw new Error(added.text);
  const rows = attackTexts.slice(0, SHOWN).flatMap((text, at) => {
    const schema = {
      type: "object",
      properties: { [text]: { type: "string", description: text } },
    };
    const one = { title: text, description: text, inputSchema: schema, annotations: {} };
    const row = { name: `tool-${at}`, digest: `${at}`.padStart(64, "a"), state: "new" };
    const before = { ...one, description: "as it was", title: "before" };
    return [
      { ...row, definition: one, age: 0 },
      ...(at % 2 === 0
        ? [
            {
              ...row,
              digest: `${at}`.padStart(64, "b"),
              state: "allowed",
              definition: before,
              age: 60,
            },
          ]
        : []),
    ];
  });
  await sql`
    insert into agent_upstream_tools (environment_id, integration_id, server_url, name, digest, definition, state,
                                      first_seen_at, seen_at)
    select i.environment_id, i.id, ${`https://desk.example/?${attackTexts[1]}`}, t.name, t.digest, t.definition, t.state,
           now() - make_interval(secs => t.age), now() - make_interval(secs => t.age)
      from integrations i
     cross join json_to_recordset(${JSON.stringify(rows)}::json)
             as t (name text, digest text, state text, definition json, age int)
     where i.unique_key = 'desk' and i.deleted_at is null`.execute(people.database.db);
}

/** As a client that calls itself by the text. */
async function callTool(
  people: PeopleUnderTest,
  token: string,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<void> {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: text.slice(0, 100), version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(`${people.url}/mcp/attack`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...{ accept: "application/json, text/event-stream", "mcp-method": "tools/call" },
      ...{ "mcp-protocol-version": "2026-07-28", "mcp-name": encodeURIComponent(name) },
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name, arguments: { body: { note: text, [text]: text } }, _meta: envelope },
    }),
  });
  await response.text();
}
