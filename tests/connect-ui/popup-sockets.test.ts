import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { type Installation, startInstallation } from "./installation.ts";

// The socket that browser clients written for another platform wait on, in the plain words of its protocol.
let installation: Installation;
let further: { readonly url: string };

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  installation = stack.use(await startInstallation({ SVC_COMPAT_PREFIX: "acme" }));
  further = await installation.startFurther();
  return async () => await stack.disposeAsync();
});

interface Waiting extends Disposable {
  readonly id: string;
  /** All that came after the id, and the code of the close. */
  readonly end: Promise<{ messages: unknown[]; code: number }>;
}

async function openSocket(url: string): Promise<Waiting> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/`);
  const messages: unknown[] = [];
  const ack = Promise.withResolvers<string>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.message_type === "connection_ack") ack.resolve(message.ws_client_id);
    else messages.push(message);
  });
  socket.addEventListener("error", () => ack.reject(new Error("the socket failed")));
  const end = once(socket, "close").then(([{ code }]) => ({ messages, code }));
  return { id: await ack.promise, end, [Symbol.dispose]: () => socket.close() };
}

/** Goes where the browser would go, with its cookies, until a page is shown. */
async function browse(address: string): Promise<Response> {
  const cookies = new Map<string, string>();
  let url = address;
  for (let hop = 0; hop < 10; hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { accept: "text/html", ...(cookie === "" ? {} : { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=", 2);
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) return response;
    url = new URL(location, url).href;
  }
  throw new Error("too many redirects");
}

function connectAddress(key: string, query: Record<string, string>): string {
  return `${installation.url}/oauth/connect/${key}?${new URLSearchParams(query)}`;
}

test("a socket at another process hears once that the attempt has succeeded, and is closed", async () => {
  const { token } = await installation.createSession();
  using socket = await openSocket(further.url);

  const page = await browse(
    connectAddress("quay", {
      connect_session_token: token,
      ws_client_id: socket.id,
      "authorization_params[prompt]": "undefined",
      ab_test_of_the_client: "7",
    }),
  );

  expect(page.status).toBe(200);
  const { body } = await installation.api("GET", "/connections");
  expect(await socket.end).toEqual({
    messages: [
      {
        message_type: "success",
        provider_config_key: "quay",
        connection_id: body.connections[0].connection_id,
        is_pending: false,
      },
    ],
    code: 1000,
  });
});

test("a declined attempt arrives as an error", async () => {
  const { token } = await installation.createSession();
  using socket = await openSocket(installation.url);
  const begun = await fetch(
    connectAddress("harbor", { connect_session_token: token, ws_client_id: socket.id }),
    { redirect: "manual" },
  );
  const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state") ?? "";
  const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";

  const query = new URLSearchParams({ error: "access_denied", state });
  await fetch(`${installation.url}/oauth/callback?${query}`, { headers: { cookie } });

  const { messages, code } = await socket.end;
  expect(messages).toEqual([
    {
      message_type: "error",
      provider_config_key: "harbor",
      connection_id: expect.any(String),
      error_type: "authorization_cancelled",
      error_desc: expect.any(String),
    },
  ]);
  expect(code).toBe(1000);
});

test.each([
  ["an unknown session", { connect_session_token: `svc_connect_session_${"0".repeat(64)}` }],
  ["no session", {}],
  ["a value that is none", { connect_session_token: "", opener_origin: "x".repeat(300) }],
])("what fails before the session is known arrives, too: %s", async (_what, query) => {
  using socket = await openSocket(further.url);
  const page = await browse(connectAddress("harbor", { ...query, ws_client_id: socket.id }));
  const { messages } = await socket.end;
  expect(page.status).toBeGreaterThanOrEqual(400);
  expect(messages).toEqual([
    {
      message_type: "error",
      provider_config_key: "harbor",
      error_type: expect.stringMatching(/^[a-z_]+$/),
      error_desc: expect.any(String),
    },
  ]);
});

test("an attempt whose client id is not from here works, and nothing is kept for it", async () => {
  const { token } = await installation.createSession();
  const id = `${"A".repeat(22)}.${"A".repeat(43)}`;
  const page = await browse(
    connectAddress("quay", { connect_session_token: token, ws_client_id: id }),
  );
  expect(page.status).toBe(200);
});

test("the session names the path of the socket, and who may show the page", async () => {
  const { token } = await installation.createSession({
    allowed_origins: ["https://app.example.com"],
  });
  const response = await fetch(`${installation.url}/connect/session`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await response.json()).toMatchObject({
    data: { websocketsPath: "/", allowed_origins: ["https://app.example.com"] },
  });
});

test("a request to upgrade anything else is answered as a plain request", async () => {
  const port = Number(new URL(installation.url).port);
  const socket = connect(port, "127.0.0.1");
  socket.write(
    "GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
  );
  const [data] = await once(socket, "data");
  socket.destroy();
  expect(String(data)).toMatch(/^HTTP\/1\.1 200 /);
});
