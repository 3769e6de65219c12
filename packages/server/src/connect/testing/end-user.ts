import { expect } from "vitest";
import type { ConnectServer } from "./connect-server.ts";

export async function createSession(
  server: ConnectServer,
  payload: object = {},
  as = "dev",
): Promise<string> {
  const answer = await server.call({ method: "POST", url: "/connect/sessions", as, payload });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text).data.token;
}

export interface Begun {
  readonly token: string;
  readonly location: URL;
  readonly cookie: string;
  readonly state: string;
}

export async function begin(
  server: ConnectServer,
  options: { token?: string; key?: string; query?: string } = {},
): Promise<Begun> {
  const { key = "oauth", query = "" } = options;
  const token = options.token ?? (await createSession(server));
  const answer = await server.call({
    url: `/oauth/connect/${key}?connect_session_token=${token}${query}`,
  });
  expect(answer.status).toBe(302);
  const location = new URL(String(answer.headers["location"]));
  const cookie = String(answer.headers["set-cookie"]).split(";")[0] ?? "";
  return { token, location, cookie, state: location.searchParams.get("state") ?? "" };
}

export async function finish(
  server: ConnectServer,
  begun: Begun,
  parameters: Record<string, string> = {},
  cookie = begun.cookie,
) {
  const code = server.provider.approve(begun.location.href);
  const query = new URLSearchParams({ code, state: begun.state, ...parameters });
  return await server.call({ url: `/oauth/callback?${query}`, cookie });
}

export async function resultOf(server: ConnectServer, token: string, attemptId?: string) {
  const query = attemptId === undefined ? "" : `?attempt_id=${attemptId}`;
  const answer = await server.call({ url: `/connect/session/result${query}`, as: token });
  return { status: answer.status, ...JSON.parse(answer.text).data };
}
