import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConnectServer, startConnectServer } from "../testing/connect-server.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function post(url: string, payload: object) {
  const answer = await server.call({ method: "POST", url, as: "dev", payload });
  return { status: answer.status, ...JSON.parse(answer.text) };
}

async function open(token: string) {
  const answer = await server.call({ url: "/connect/session", as: token });
  return { status: answer.status, ...JSON.parse(answer.text) };
}

test("sessions are listed without their tokens, page by page, and ended by their maker", async () => {
  const tokens: string[] = [];
  for (const user of ["one", "two", "three"]) {
    const tags = { end_user_id: `lists-${user}` };
    const made = await post("/connect/sessions", { tags, allowed_integrations: ["oauth"] });
    tokens.push(made.data.token);
    server.installation.clock.advance(1000);
  }
  const list = async (query: string, as = "dev") => {
    const answer = await server.call({ url: `/connect/sessions${query}`, as });
    return { status: answer.status, ...JSON.parse(answer.text) };
  };

  const whole = await list("?limit=100");
  const paged: object[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await list(cursor === "" ? "?limit=2" : `?limit=2&cursor=${cursor}`);
    paged.push(...page.data);
    cursor = page.next_cursor;
  }
  const ours = whole.data.filter((each: { tags: Record<string, string> }) =>
    each.tags["end_user_id"]?.startsWith("lists-"),
  );

  expect(paged).toEqual(whole.data);
  expect(ours.map((each: { tags: object }) => each.tags)).toEqual([
    { end_user_id: "lists-three" },
    { end_user_id: "lists-two" },
    { end_user_id: "lists-one" },
  ]);
  expect(ours[0]).toMatchObject({
    state: "waiting",
    is_open: true,
    is_reconnect: false,
    allowed_integrations: ["oauth"],
    error: null,
  });
  expect(JSON.stringify(whole)).not.toContain(String(tokens[2]).slice(20));
  const { id } = ours[0];
  const url = `/connect/sessions/${id}`;
  expect((await server.call({ method: "DELETE", url, as: "other" })).status).toBe(404);
  expect((await server.call({ method: "DELETE", url, as: "dev" })).status).toBe(204);
  expect((await open(String(tokens[2]))).status).toBe(401);
  const ended = await list("?is_open=false&limit=100");
  expect(ended.data).toContainEqual({
    ...ours[0],
    is_open: false,
    expires_at: server.installation.clock.now().toISOString(),
  });
  const left = await list("?is_open=true&limit=100");
  expect(left.data.map((each: { id: string }) => each.id)).not.toContain(id);
  expect((await list("", "other")).data).toEqual([]);
  expect(await list("?cursor=abc")).toMatchObject({
    status: 400,
    error: { code: "invalid_cursor" },
  });
});
