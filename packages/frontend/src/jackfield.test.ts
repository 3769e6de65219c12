import { build } from "vite";
import { expect, test } from "vitest";
import { toAuthError } from "./api.ts";
import { toAuthorizationQuery } from "./authorization-query.ts";
import { AuthError, Jackfield } from "./index.ts";

async function typeOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
  } catch (error) {
    return error instanceof AuthError ? error.type : String(error);
  }
  return undefined;
}

const host = "https://api.example.com/sub/";

test("what is missing or malformed has a type of its own", async () => {
  const withoutToken = new Jackfield({ host });
  const withToken = new Jackfield({ host, connectSessionToken: "t" });

  expect(await typeOf(() => new Jackfield({ host: "example.com" }))).toBe("invalid_host_url");
  expect(await typeOf(() => new Jackfield({ host: "ftp://example.com" }))).toBe("invalid_host_url");
  expect(await typeOf(() => new Jackfield({ host: `${host}?a=b` }))).toBe("invalid_host_url");
  expect(await typeOf(() => withoutToken.auth("crm"))).toBe("missing_auth_token");
  expect(await typeOf(() => withoutToken.reconnect("crm"))).toBe("missing_connect_session_token");
  expect(await typeOf(() => withToken.auth("crm", { credentials: Object({ apikey: "k" }) }))).toBe(
    "missing_credentials",
  );
});

test("a public key is refused with a word on sessions", () => {
  const options = { host, publicKey: "pk" };

  expect(() => new Jackfield(options)).toThrow(
    expect.objectContaining({
      type: "missing_auth_token",
      message: expect.stringContaining("connect session"),
    }),
  );
});

test("the query holds the session, nested values and no undefined ones", () => {
  const query = toAuthorizationQuery(
    "token",
    {
      params: { "sub domain": "a&b" },
      authorization_params: { prompt: "login", access_type: undefined },
      user_scope: ["a", "b"],
    },
    { override: { oauth_client_id_override: "i" } },
  );

  expect(Object.fromEntries(query)).toEqual({
    connect_session_token: "token",
    "params[sub domain]": "a&b",
    "authorization_params[prompt]": "login",
    "authorization_params[access_type]": "undefined",
    user_scope: "a,b",
    "credentials[oauth_client_id_override]": "i",
  });
});

test.each([
  [{ error: { code: "resource_capped", message: "Full." } }, "resource_capped", "Full."],
  [undefined, "unknown_error", "The server answered with status 502."],
  [{ error: "text" }, "unknown_error", "The server answered with status 502."],
])("the answer %j becomes an AuthError", (body, type, message) => {
  expect(toAuthError(502, body)).toMatchObject({ name: "AuthError", type, message });
});

test("the built module imports nothing and names nothing of Node", async () => {
  const built = await build({
    root: new URL("..", import.meta.url).pathname,
    configFile: new URL("../vite.config.ts", import.meta.url).pathname,
    logLevel: "silent",
    build: { write: false },
  });
  const [output] = [built].flat();
  const chunks = output !== undefined && "output" in output ? output.output : [];
  const [chunk] = chunks;

  expect(chunks).toHaveLength(1);
  expect(chunk).toMatchObject({ type: "chunk", imports: [], dynamicImports: [] });
  expect(chunk?.type === "chunk" && chunk.code).not.toMatch(
    /node:|\bprocess\b|\bBuffer\b|require\(/,
  );
});
