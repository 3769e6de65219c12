import type { Browser, PeopleUnderTest } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";

interface Operation {
  readonly name: string;
  readonly method: "get" | "post" | "delete";
  readonly description?: string;
}

/** Operations of the integration `open` as tools, and connections of it for the end users `u-…` of these ids. */
export async function addTools(
  owner: Browser,
  environment: string,
  {
    ids,
    operations,
  }: { readonly ids: readonly string[]; readonly operations: readonly Operation[] },
): Promise<void> {
  await addConnections(owner, environment, ids);
  const paths = operations.map(({ name, method, description = `Does ${name}` }) => [
    `/${name}`,
    { [method]: { operationId: name, summary: description.slice(0, 100), description } },
  ]);
  const info = { title: "Own API", version: "1" };
  const document = { openapi: "3.1.0", info, paths: Object.fromEntries(paths) };
  const { status, text } = await owner.call("PUT", "/integrations/open/openapi", {
    ...{ environment, body: { document: JSON.stringify(document) } },
  });
  if (status !== 200) throw new Error(text);
}

export async function putToolset(
  owner: Browser,
  environment: string,
  { name, ...body }: { readonly name: string; readonly [field: string]: unknown },
): Promise<void> {
  const { status, text } = await owner.call("PUT", `/agent/toolsets/${name}`, {
    ...{ environment, body },
  });
  if (status !== 200) throw new Error(text);
}

/** The id and the token of a new session. */
export async function beginSession(
  owner: Browser,
  environment: string,
  body: { readonly toolset: string; readonly end_user_id: string },
): Promise<{ readonly id: string; readonly token: string }> {
  const { body: answer } = await owner.call("POST", "/agent/sessions", { environment, body });
  return answer.data;
}

/** A call of an agent, without arguments. */
export async function callTool(
  people: PeopleUnderTest,
  { token, toolset, name }: { token: string; toolset: string; name: string },
): Promise<void> {
  const call = { method: "tools/call", params: { name, arguments: {} } };
  await fetch(`${people.url}/mcp/${toolset}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
  });
}
