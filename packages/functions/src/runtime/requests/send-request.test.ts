import { expect, test } from "vitest";
import { RunFailure } from "../run-failure.ts";
import { answerJson, testRun } from "../testing/test-run.ts";

test("fills in the run's connection and gives an axios-like response", async () => {
  const { svc, calls } = testRun({ answer: () => answerJson({ a: 1 }, { etag: "x" }) });
  const config = { endpoint: "/contacts", headers: { "X-Count": 3, "X-None": undefined } };

  const response = await svc.get(config);

  expect(calls[0]?.params).toEqual({
    providerConfigKey: "crm",
    connectionId: "c1",
    method: "GET",
    endpoint: "/contacts",
    query: [],
    headers: { "x-count": "3" },
    hasBody: false,
    retries: 0,
    retryOn: [],
    decompress: false,
  });
  expect(response).toMatchObject({
    data: { a: 1 },
    status: 200,
    statusText: "OK",
    headers: { etag: "x" },
    config: { endpoint: "/contacts" },
    request: { method: "GET", path: "/contacts" },
  });
});

test("passes on what a call sets besides", async () => {
  const { svc, calls } = testRun({ answer: () => answerJson({}) });

  await svc.proxy({
    endpoint: "/x",
    method: "delete",
    connectionId: "c2",
    baseUrlOverride: "https://other.example",
    retries: 2,
    retryOn: [409],
    retryHeader: { at: "X-Reset", remaining: undefined },
    forwardHeadersOnRedirect: true,
    decompress: "true",
  });

  expect(calls[0]?.params).toMatchObject({
    method: "DELETE",
    connectionId: "c2",
    baseUrlOverride: "https://other.example",
    retries: 2,
    retryOn: [409],
    retryHeader: { at: "X-Reset" },
    forwardHeadersOnRedirect: true,
    decompress: true,
  });
});

test.each(["HEAD", "head"] as const)(
  "%s asks for the headers alone, without a body",
  async (method) => {
    const { svc, calls } = testRun({
      answer: () => answerJson(undefined, { "content-length": "3" }),
    });

    const { status, headers } = await svc.proxy({ endpoint: "/file", method, data: { a: 1 } });

    expect(calls[0]?.params).toMatchObject({ method: "HEAD", hasBody: false });
    expect([status, headers["content-length"]]).toEqual([200, "3"]);
  },
);

test("writes query values as text, joins arrays and skips what is not there", async () => {
  const { svc, calls } = testRun({ answer: () => answerJson({}) });

  await svc.get({
    endpoint: "/x?a=0",
    params: { a: 1, b: ["x", undefined, 2], c: undefined, d: null, e: false, f: [] },
  });
  await svc.get({ endpoint: "/x", params: "?raw=a%20b&raw=c" });

  expect(calls[0]?.params["query"]).toEqual([
    ["a", "1"],
    ["b", "x,2"],
    ["e", "false"],
    ["f", ""],
  ]);
  expect(calls[1]?.params).toMatchObject({ endpoint: "/x?raw=a%20b&raw=c", query: [] });
  await expect(svc.get({ endpoint: "/x?a=1", params: "b=2" })).rejects.toMatchObject({
    type: "invalid_query_params",
  });
});

test.each([
  ["an object", { a: 1 }, {}, "application/json", '{"a":1}'],
  ["an array", [1], {}, "application/json", "[1]"],
  ["JSON text", '{"a":1}', {}, "application/json", '{"a":1}'],
  ["other text", "a=1", {}, "application/x-www-form-urlencoded", "a=1"],
  ["a form", new URLSearchParams({ a: "b c" }), {}, "application/x-www-form-urlencoded", "a=b+c"],
  ["bytes", Buffer.from("raw"), {}, undefined, "raw"],
  [
    "an object as a form",
    { a: 1, b: ["x", "y"], c: undefined },
    { "Content-Type": "application/x-www-form-urlencoded" },
    "application/x-www-form-urlencoded",
    "a=1&b=x&b=y",
  ],
  ["text of a given type", "<a/>", { "Content-Type": "text/xml" }, "text/xml", "<a/>"],
])("sends %s as its body", async (_name, data, headers, type, body) => {
  const { svc, calls } = testRun({ answer: () => answerJson({}) });

  await svc.post({ endpoint: "/x", data, headers });
  await svc.get({ endpoint: "/x", data, headers });

  const sent = Object(calls[0]?.params["headers"]);
  expect([sent["content-type"], calls[0]?.body, calls[0]?.params["hasBody"]]).toEqual([
    type,
    body,
    true,
  ]);
  expect([calls[1]?.body, calls[1]?.params["hasBody"]]).toEqual(["", false]);
});

test("turns an object into a multipart form when the type says so", async () => {
  const { svc, calls } = testRun({ answer: () => answerJson({}) });

  await svc.post({
    endpoint: "/x",
    headers: { "content-type": "multipart/form-data" },
    data: { name: "a.txt", file: Buffer.from("bytes") },
  });

  const type = String(Object(calls[0]?.params["headers"])["content-type"]);
  expect(type).toMatch(/^multipart\/form-data; boundary=./);
  expect(calls[0]?.body).toContain('name="file"; filename="file"');
  expect(calls[0]?.body).toContain("bytes");
});

test("decodes the body as asked", async () => {
  const value = { status: 200, statusText: "OK", headers: {} };
  const { svc } = testRun({ answer: () => ({ value, body: Buffer.from('{"a":1}') }) });
  const { svc: plain } = testRun({ answer: () => ({ value, body: "no json" }) });

  expect((await svc.get({ endpoint: "/x", responseType: "json" })).data).toEqual({ a: 1 });
  expect((await svc.get({ endpoint: "/x", responseType: "text" })).data).toBe('{"a":1}');
  const bytes = await svc.get({ endpoint: "/x", responseType: "arraybuffer" });
  expect(Buffer.isBuffer(bytes.data) && bytes.data.toString()).toBe('{"a":1}');
  expect((await plain.get({ endpoint: "/x" })).data).toBe("no json");
  const blob = await svc.get<Blob>({ endpoint: "/x", responseType: "blob" });
  expect(await blob.data.text()).toBe('{"a":1}');
  const stream = await svc.get<AsyncIterable<Buffer>>({ endpoint: "/x", responseType: "stream" });
  const chunks: Buffer[] = [];
  for await (const chunk of stream.data) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('{"a":1}');
  expect((await svc.get({ endpoint: "/x", responseType: "document" })).data).toBe('{"a":1}');
  // @ts-expect-error no such type
  await expect(svc.get({ endpoint: "/x", responseType: "xml" })).rejects.toThrow("use one of");
});

test("an answer that is thrown is readable, regardless of the type asked for", async () => {
  const value = { status: 404, statusText: "Not Found", headers: {} };
  const { svc } = testRun({ answer: () => ({ value, body: '{"why":"gone"}' }) });

  const download = svc.get({ endpoint: "/x", responseType: "stream" });

  await expect(download).rejects.toMatchObject({ response: { data: { why: "gone" } } });
});

test("throws for any status but 2xx, and when the provider was not reached", async () => {
  const value = { status: 304, statusText: "Not Modified", headers: {} };
  const { svc } = testRun({ answer: () => ({ value, body: "" }) });
  const { svc: offline } = testRun({
    answer: () => {
      throw new RunFailure({
        type: "script_network_error",
        message: "refused",
        payload: { code: "ECONNREFUSED" },
      });
    },
  });

  await expect(svc.get({ endpoint: "/x" })).rejects.toMatchObject({
    message: "The provider answered 304 Not Modified to GET /x.",
    status: 304,
    code: "ERR_BAD_REQUEST",
    config: { endpoint: "/x" },
    response: { status: 304 },
  });
  await expect(offline.get({ endpoint: "/x" })).rejects.toMatchObject({
    code: "ECONNREFUSED",
    response: undefined,
  });
});

test("says what is wrong with a call before it leaves", async () => {
  const { svc, calls } = testRun();

  // @ts-expect-error an endpoint is needed
  await expect(svc.get({})).rejects.toThrow("endpoint");
  // @ts-expect-error no such method
  await expect(svc.proxy({ endpoint: "/x", method: "OPTIONS" })).rejects.toThrow("HEAD");
  await expect(svc.get({ endpoint: "/x", retries: 101 })).rejects.toThrow("0 to 100");
  expect(calls).toEqual([]);
});
