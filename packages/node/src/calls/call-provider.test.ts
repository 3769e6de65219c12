import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Jackfield } from "../index.ts";
import { type StubPlatform, startStubPlatform } from "../testing/stub-platform.ts";

let platform: StubPlatform;
let jackfield: Jackfield;
beforeAll(async () => {
  platform = await startStubPlatform();
  jackfield = new Jackfield({ apiKey: "key", host: platform.url });
});
afterAll(async () => await platform[Symbol.asyncDispose]());
beforeEach(() => {
  platform.seen.length = 0;
});

const target = { providerConfigKey: "crm", connectionId: "c" };

test("sends path, query, headers and settings, and gives the answer", async () => {
  platform.answer({ status: 201, headers: { "x-rate": "1" }, body: { id: 7 } });

  const answer = await jackfield.post<{ id: number }>({
    ...target,
    endpoint: "/v1/things?a=1",
    params: { b: 2, c: undefined },
    headers: { "X-Custom": "x" },
    data: { name: "n" },
    retries: 3,
    retryOn: [409, 423],
    baseUrlOverride: "https://api.example",
    decompress: true,
  });

  const [request] = platform.seen;
  expect(`${request?.method} ${request?.url}`).toBe("POST /proxy/v1/things?a=1&b=2");
  expect(request?.headers).toMatchObject({
    "provider-config-key": "crm",
    "connection-id": "c",
    "svc-proxy-x-custom": "x",
    "content-type": "application/json",
    "base-url-override": "https://api.example",
    "retry-on": "409,423",
    decompress: "true",
    retries: "3",
  });
  expect(request?.body).toBe('{"name":"n"}');
  expect(answer).toMatchObject({ status: 201, data: { id: 7 }, headers: { "x-rate": "1" } });
});

test.each([
  ["text", "plain", "plain", "text/plain;charset=UTF-8"],
  ["bytes", new Uint8Array([0x61]), "a", undefined],
  [
    "a form",
    new URLSearchParams({ a: "b" }),
    "a=b",
    "application/x-www-form-urlencoded;charset=UTF-8",
  ],
  ["a stream", new Blob(["ab"]).stream(), "ab", undefined],
])("sends %s as it is", async (_what, data, body, type) => {
  await jackfield.put({ ...target, endpoint: "x", data });

  expect(platform.seen[0]?.body).toBe(body);
  expect(platform.seen[0]?.headers["content-type"]).toBe(type);
});

test.each(["get", "post", "put", "patch", "delete"] as const)("%s is a verb", async (verb) => {
  await jackfield[verb]({ ...target, endpoint: "/x" });

  expect(platform.seen[0]?.method).toBe(verb.toUpperCase());
});

test("gives answers in the form asked for", async () => {
  platform.answer({ body: "text" }, { body: { a: 1 } }, { body: "ab" }, { body: "ab" });

  const text = await jackfield.get<string>({ ...target, endpoint: "x" });
  const raw = await jackfield.get<string>({ ...target, endpoint: "x", responseType: "text" });
  const bytes = await jackfield.get<ArrayBuffer>({
    ...target,
    endpoint: "x",
    responseType: "arraybuffer",
  });
  const stream = await jackfield.get<ReadableStream<Uint8Array>>({
    ...target,
    endpoint: "x",
    responseType: "stream",
  });

  expect([text.data, raw.data]).toEqual(["text", '{"a":1}']);
  expect(new TextDecoder().decode(bytes.data)).toBe("ab");
  expect(await new Response(stream.data).text()).toBe("ab");
});

test("tells the provider's refusal from a failure of the server", async () => {
  platform.answer({ status: 503, body: { reason: "busy" } });
  const provider = await jackfield.get({ ...target, endpoint: "x?secret=1" }).catch((e) => e);
  platform.answer({
    status: 400,
    headers: { "svc-error-source": "platform" },
    body: { error: { code: "unknown_connection", message: "No such connection." } },
  });
  const own = await jackfield.get({ ...target, endpoint: "x" }).catch((e) => e);

  expect(provider).toMatchObject({
    code: "provider_error",
    status: 503,
    message: "The provider answered GET x with 503.",
    response: { status: 503, data: { reason: "busy" } },
  });
  expect(own).toMatchObject({ code: "unknown_connection", status: 400, response: undefined });
  expect(platform.seen).toHaveLength(2);
});

test("a call that may have had an effect is not made twice", async () => {
  platform.answer({ hangUp: true });
  const post = await jackfield.post({ ...target, endpoint: "x", data: {} }).catch((e) => e);
  platform.answer({ hangUp: true }, { body: { ok: true } });
  const get = await jackfield.get({ ...target, endpoint: "x" });

  expect(post).toMatchObject({ code: "network_error" });
  expect(get.data).toEqual({ ok: true });
  expect(platform.seen).toHaveLength(3);
});
