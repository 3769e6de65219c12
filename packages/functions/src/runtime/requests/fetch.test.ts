import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { isActionError } from "../../action-error.ts";
import { RunFailure } from "../run-failure.ts";
import { testRun } from "../testing/test-run.ts";
import { toRunError } from "../to-run-error.ts";
import { globalFetch } from "./fetch.ts";

const url = "https://example.com/a?b=1";

function answered(status: number, headers: [string, string][], body: string | Uint8Array = "") {
  return { value: { status, headers, url, redirected: true }, body };
}

test("uncontrolledFetch gives the answer as fetch does", async () => {
  const { svc, calls } = testRun({
    answer: () => answered(404, [["content-type", "application/json"]], '{"a":1}'),
  });

  const response = await svc.uncontrolledFetch({
    url: new URL(url),
    method: "post",
    headers: { "X-A": "1" },
    body: "text",
  });

  expect(calls[0]).toMatchObject({
    method: "fetch",
    body: "text",
    params: { method: "POST", url, hasBody: true, redirect: "follow" },
  });
  expect(Object(calls[0]?.params["headers"])).toContainEqual(["x-a", "1"]);
  expect([response.status, response.ok, response.url, response.redirected]).toEqual([
    404,
    false,
    url,
    true,
  ]);
  expect(await response.json()).toEqual({ a: 1 });
});

test.each(["url_not_allowed", "too_many_redirects", "invalid_redirect"])(
  "uncontrolledFetch tells of %s as an ActionError, fetch as a TypeError",
  async (type) => {
    const { svc, run } = testRun({
      answer: () => {
        throw new RunFailure({ type, message: "why" });
      },
    });

    const thrown = await svc.uncontrolledFetch({ url: new URL(url) }).catch((error) => error);

    expect(isActionError(thrown) && thrown.payload).toEqual({ code: type, message: "why" });
    await expect(globalFetch(run, url)).rejects.toThrow(TypeError);
  },
);

test("an address that cannot be reached is a network failure, caught or not", async () => {
  const { svc, run } = testRun({
    answer: () => {
      throw new RunFailure({ type: "upstream_dns_error", message: "no such host" });
    },
  });

  const thrown = await svc.uncontrolledFetch({ url: new URL(url) }).catch((error) => error);
  const wrapped = await globalFetch(run, url).catch((error) => error);

  expect(thrown).toMatchObject({ type: "upstream_dns_error" });
  expect([thrown, wrapped].map((error) => toRunError(error, "x.js").type)).toEqual([
    "script_network_error",
    "script_network_error",
  ]);
});

test("an answer without a body and a packed one are read", async () => {
  const answers = [
    answered(204, []),
    answered(200, [["content-encoding", "gzip"]], gzipSync("packed")),
  ];
  const { run } = testRun({ answer: () => answers.shift() ?? {} });

  expect((await globalFetch(run, url)).body).toBeNull();
  expect(await (await globalFetch(run, url)).text()).toBe("packed");
});

test("fetch ends with its signal, and refuses what the standard refuses", async () => {
  const { run } = testRun({ answer: () => answered(200, []) });

  await expect(globalFetch(run, url, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  await expect(globalFetch(run, "/relative")).rejects.toThrow(TypeError);
});

test("an error of an HTTP client names the rule that stopped its call", () => {
  const rule = new RunFailure({
    type: "url_not_allowed",
    message: "10.0.0.1 is a private address",
  });
  const ofFetch = new TypeError(`fetch failed: ${rule.message}`, { cause: rule });
  // As axios throws it: with the cause of what fetch threw.
  const ofClient = Object.assign(new Error("Network Error"), { code: "ERR_NETWORK", cause: rule });
  const nested = new Error("sync failed", { cause: ofClient });

  const messages = [ofFetch, ofClient, nested].map((error) => toRunError(error, "x.js").message);

  expect(messages).toEqual([
    "fetch failed: 10.0.0.1 is a private address",
    "Network Error: url_not_allowed: 10.0.0.1 is a private address",
    "sync failed: url_not_allowed: 10.0.0.1 is a private address",
  ]);
});
