import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { ActionError } from "../../action-error.ts";
import type { UncontrolledFetchOptions } from "../../platform-types.ts";
import { type Run, requireRunning } from "../run.ts";
import { RunFailure } from "../run-failure.ts";

export type FetchInput = Parameters<typeof fetch>[0];

const NO_BYTES = new Uint8Array(0);
const withoutBody: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** `svc.uncontrolledFetch`: to any public address, without credentials and retries. */
export async function uncontrolledFetch(
  run: Run,
  options: UncontrolledFetchOptions,
): Promise<Response> {
  const { url, method = "GET", headers = {}, body } = options ?? {};
  if (!(url instanceof URL) && typeof url !== "string") {
    throw new TypeError('uncontrolledFetch: pass { url: new URL("https://…") }.');
  }
  try {
    return await sendFetch(run, new Request(url, { method, headers, body: body ?? null }));
  } catch (error) {
    if (!(error instanceof RunFailure) || !refusals.has(error.type)) throw error;
    throw new ActionError({ code: error.type, message: error.message });
  }
}

const refusals: ReadonlySet<string> = new Set([
  "egress_refused",
  "url_not_allowed",
  "too_many_redirects",
  "invalid_redirect",
]);

/** The global `fetch` of a function: the same egress, with the failures of the Fetch standard. */
export async function globalFetch(
  run: Run,
  input: FetchInput,
  init?: RequestInit,
): Promise<Response> {
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) => {
    request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
  });
  aborted.catch(() => {});
  try {
    return await Promise.race([sendFetch(run, request), aborted]);
  } catch (error) {
    if (!(error instanceof RunFailure) || error.type === "script_aborted") throw error;
    throw new TypeError(`fetch failed: ${error.message}`, { cause: error });
  }
}

async function sendFetch(run: Run, request: Request): Promise<Response> {
  requireRunning(run);
  const hasBody = request.body !== null;
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : NO_BYTES;
  const answer = await run.channel.call(
    "fetch",
    {
      method: request.method.toUpperCase(),
      url: request.url,
      headers: [...request.headers],
      hasBody,
      redirect: request.redirect,
    },
    body,
  );
  const { status, headers, url, redirected } = answer.value;
  const sent = new Headers(headers);
  const content = withoutBody.has(status) ? null : await decode(answer.body, sent);
  const response = new Response(content, { status: Math.max(status, 200), headers: sent });
  // The constructor leaves these to the network.
  Object.defineProperty(response, "url", { value: url });
  Object.defineProperty(response, "redirected", { value: redirected });
  return response;
}

const decoders = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflate,
  br: brotliDecompress,
  zstd: zstdDecompress,
} as const;

/** Decoded here and not by the host: what a small answer grows to is this process's own memory. */
async function decode(body: Uint8Array, headers: Headers): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase();
  const decoder = Object.entries(decoders).find(([name]) => name === encoding)?.[1];
  if (decoder === undefined || body.byteLength === 0) return new Uint8Array(body);
  return await new Promise((resolve, reject) => {
    decoder(body, (error: Error | null, decoded: Uint8Array) => {
      if (error === null) resolve(new Uint8Array(decoded));
      else reject(error);
    });
  });
}
