import { afterAll, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import { getAuthMode } from "../modes/index.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { startTokenServer } from "../testing/token-server.ts";

const server = await startTokenServer();
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("a chain continues with the secret that its first call was taken with", async () => {
  const step = {
    url: `${server.url}/exchange`,
    body_format: "form",
    params: { secret: "{{client.secret}}", token: "{{token.access_token}}" },
  };
  const entry = {
    auth_mode: "OAUTH2",
    authorization_url: `${server.url}/authorize`,
    token_url: `${server.url}/token`,
    exchange: [step],
  };
  const client = { type: "OAUTH2", client_id: "id", client_secret: "the new one" };
  const integrationCredentials = { ...client, previous_client_secret: "the one before" };
  const subject = subjectOfEntry(entry, { integrationCredentials });
  server.respond = ({ body }) =>
    body.includes("the+one+before")
      ? { body: '{"access_token":"taken"}' }
      : { status: 401, body: '{"error":"invalid_client"}' };

  const minted = await getAuthMode("OAUTH2").finishAuthorization?.(
    subject,
    { query: { code: "CODE" }, redirectUri: "https://a.example/cb", codeVerifier: "v" },
    { http, now: new Date(), signal: new AbortController().signal },
  );

  expect(minted?.credentials["access_token"]).toBe("taken");
  expect(server.received.map(({ url }) => url)).toEqual(["/token", "/token", "/exchange"]);
});
