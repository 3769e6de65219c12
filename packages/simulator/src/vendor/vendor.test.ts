import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { getProvider, type Provider } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { sampleText } from "./samples/sample-text.ts";
import { startVendor } from "./start-vendor.ts";

async function put(origin: string, faults: object): Promise<number> {
  const body = JSON.stringify(faults);
  return (await fetch(`${origin}/.simulator/faults`, { method: "PUT", body })).status;
}

test.each([
  "^https://api\\.[a-z0-9]+\\.(adobesign|echosign)(us)?\\.com/?$",
  "^[a-z]{3}-\\d{2,4}$",
  "^[^/]+$",
])("a sample of %s fits it", (pattern) => {
  expect(sampleText(pattern)).toMatch(new RegExp(pattern, "u"));
});

/** A call under the vendor's own name, which fetch would not send. */
async function get(origin: string, headers: Record<string, string>) {
  const sent = request(`${origin}/v1/things`, { headers: { host: "api.openai.com", ...headers } });
  sent.end();
  const [answer]: IncomingMessage[] = await once(sent, "response");
  if (answer === undefined) throw new Error("there is no answer");
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

test("calls need the key in its place, and faults are switched while it runs", async () => {
  await using vendor = await startVendor("openai");
  const { origin } = vendor;
  const withKey = { authorization: `Bearer ${vendor.samples.credentials["apiKey"]}` };

  const without = await get(origin, {});
  const right = await get(origin, withKey);
  const refused = await put(origin, { rate_limit: "sometimes" });
  await put(origin, { rate_limit: "retry-after-seconds" });
  const limited = await get(origin, withKey);
  await put(origin, { status: 503 });
  const down = await get(origin, withKey);
  await put(origin, { error_in_200: true });
  const wrong = await get(origin, withKey);
  await put(origin, { cut: true });
  const broken = await get(origin, withKey).catch(String);

  expect([without.status, right.status, refused]).toEqual([401, 200, 400]);
  expect([limited.status, limited.headers["retry-after"]]).toEqual([429, "2"]);
  expect(down.status).toBe(503);
  expect([wrong.status, JSON.parse(wrong.body).ok]).toEqual([200, false]);
  expect(broken).toMatch(/aborted|hang up/);
  expect(vendor.refusals).toHaveLength(1);
});

test("an event is signed as the entry's data say", async () => {
  const received: { signature: unknown; body: string }[] = [];
  const platform = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ signature: request.headers["x-acme-signature"], body });
      response.writeHead(200).end("ok");
    });
  });
  platform.listen(0, "127.0.0.1");
  await once(platform, "listening");
  const address = platform.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const hmac = { header: "x-acme-signature", algorithm: "sha256", encoding: "hex", prefix: "v1=" };
  await using vendor = await startVendor(signing({ hmac }));

  const reported = await fetch(`${vendor.origin}/.simulator/webhook`, {
    method: "POST",
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/`, event: { a: 1 }, secret: "shared" }),
  });
  platform.close();

  const digest = createHmac("sha256", "shared").update('{"a":1}').digest("hex");
  expect(await reported.json()).toEqual({ status: 200, signed: true, body: "ok" });
  expect(received).toEqual([{ signature: `v1=${digest}`, body: '{"a":1}' }]);
});

// An entry of the catalogue with one fact more.
function signing(webhooks: object): Provider {
  return { ...getProvider("openai"), webhooks } as Provider;
}
