import { createServer } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { AppError } from "../errors.ts";
import { createLogger } from "../logger/index.ts";
import { createEgress } from "./create-egress.ts";
import { tlsCertificates } from "./testing/index.ts";

const { authority, server, expired } = tlsCertificates;

/** What a call to a server that shows this certificate comes to. */
async function callServer(
  certificate: { cert: string; key: string },
  { host = "127.0.0.1", authorities }: { host?: string; authorities?: readonly string[] },
): Promise<unknown> {
  const listening = createServer(certificate, (_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    listening.closeAllConnections();
    await new Promise((resolve) => listening.close(resolve));
  });
  const lookup: LookupFunction = (_hostname, _options, callback) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  await using egress = createEgress({
    allow: ["127.0.0.1"],
    log: createLogger("silent"),
    lookup,
    ...(authorities === undefined ? {} : { authorities }),
  });
  // An HTTPS server on a port of TCP has such an address.
  const { port } = listening.address() as AddressInfo;
  const url = `https://${host}:${port}/`;
  const call = { method: "GET", url, timeoutMs: 10_000, maxResponseBytes: 1000 };
  try {
    const answer = await egress.request(call);
    return answer.body.toString();
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
}

test("an authority of the operator's is trusted, and without it its servers are not", async () => {
  expect(await callServer(server, { authorities: [authority] })).toBe("ok");
  expect(await callServer(server, {})).toBe("upstream_tls_error");
});

test.each([
  ["an expired certificate", expired, {}],
  ["a certificate of another host", server, { host: "other.example" }],
])("%s is refused in spite of its authority", async (_name, certificate, options) => {
  const answer = await callServer(certificate, { ...options, authorities: [authority] });

  expect(answer).toBe("upstream_tls_error");
});
