import type { Agent, Dispatcher } from "undici";
import { AppError } from "../errors.ts";
import type { EgressRequest, EgressResponse } from "./egress.ts";
import { readClockAhead } from "./server-notes.ts";
import { toUpstreamError } from "./upstream-error.ts";

/** One call with its whole answer; redirects are answers like any other. */
export async function sendRequest(
  agent: Agent,
  url: URL,
  request: EgressRequest,
): Promise<EgressResponse> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: { ...request.headers },
      body: request.body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    });
    const headers = presentHeaders(answer.headers);
    const [[date], [age]] = [[headers["date"]].flat(), [headers["age"]].flat()];
    const clockAheadMs = readClockAhead({ date, age }, Date.now());
    const body = await readBody(answer.body, url, request.maxResponseBytes);
    const reported = clockAheadMs === undefined ? {} : { clockAheadMs };
    return { status: answer.statusCode, headers, body, ...reported };
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (deadline.aborted) {
      const message = `${url.hostname} did not answer within ${request.timeoutMs} ms.`;
      throw new AppError("upstream_timeout", message, { cause: error });
    }
    throw toUpstreamError(error, url.hostname);
  }
}

async function readBody(
  stream: Dispatcher.ResponseData["body"],
  url: URL,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early destroys the stream and its connection.
  for await (const chunk of stream) {
    const bytes = asBuffer(chunk);
    size += bytes.byteLength;
    if (size > maxBytes) {
      const message = `The answer of ${url.hostname} is larger than ${maxBytes} bytes.`;
      throw new AppError("upstream_unreachable", message);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size);
}

// undici's body yields buffers as long as no encoding was set on it; its type says any.
function asBuffer(chunk: unknown): Buffer {
  return chunk as Buffer;
}

function presentHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
