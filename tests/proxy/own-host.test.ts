import { once } from "node:events";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import {
  addConnection,
  addIntegration,
  callHeaders,
  startPlatform,
  startUpstream,
} from "./proxied-api.ts";

test("with SVC_PROXY_HOST browsers reach providers under that host alone, and programs under each", async () => {
  await using stack = new AsyncDisposableStack();
  const upstreamUrl = await startUpstream(stack, (_request, response) => {
    response.setHeader("set-cookie", "session=provider").end("of the provider");
  });
  const env = { SVC_PROXY_HOST: "proxy.test", SVC_LOG_LEVEL: "error", SVC_COMPAT_PREFIX: "acme" };
  const platform = await startPlatform(stack, env);
  await addIntegration(platform, upstreamUrl);
  const connectionId = await addConnection(platform);
  const call = async (path: string, headers: Readonly<Record<string, string>>) => {
    const sent = get(`${platform.url}${path}`, { headers, agent: false });
    const [answer] = await once(sent, "response");
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  const program = callHeaders(connectionId);
  const browser = { ...program, origin: "https://app.example.com" };

  const onProxyHost = await call("/proxy/x", { ...browser, host: "proxy.test" });
  const onMain = await call("/proxy/x", browser);
  const programs = [
    await call("/proxy/x", program),
    await call("/proxy/x", { ...program, host: "proxy.test:8443" }),
  ];
  const socket = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const elsewhere = [
    await call("/dashboard", { host: "proxy.test" }),
    await call("/", {
      ...socket,
      "sec-websocket-key": btoa("0123456789abcdef"),
      host: "proxy.test",
    }),
  ];

  expect(onProxyHost).toMatchObject({ status: 200, body: "of the provider" });
  expect(onProxyHost.headers["set-cookie"]).toBeUndefined();
  expect(onMain.status).toBe(421);
  expect(programs.map(({ status }) => status)).toEqual([200, 200]);
  expect(programs.map(({ headers }) => headers["set-cookie"]?.[0])).toEqual([
    "session=provider",
    "session=provider",
  ]);
  expect(elsewhere.map(({ status }) => status)).toEqual([404, 404]);
}, 60_000);
