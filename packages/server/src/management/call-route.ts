import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyRequest } from "fastify";

export interface Answer {
  readonly status: number;
  /** Undefined where it is longer than what is read of one. */
  readonly text: string | undefined;
  readonly retryAfter: string | undefined;
}

/** Of an answer; who asks for more is to ask for less at a time. */
const LONGEST_BYTES = 1024 * 1024;

interface Called {
  /** Those of the path, the query, the headers and the body together, by name. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Calls a route of this server as the caller of the request would: with the same key, through the same checks. */
export async function callRoute(
  request: FastifyRequest,
  route: RouteDefinition,
  { values, signal }: Called,
): Promise<Answer> {
  const left = new Map(Object.entries(values));
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(take(left, name))),
  );
  const query = takeAll(left, Object.keys(route.query?.shape ?? {}));
  const headers = takeAll(left, Object.keys(route.headers?.shape ?? {}));
  const { authorization = "", "user-agent": agent = "" } = request.headers;
  const answer = await request.server.inject({
    method: route.method === "ANY" ? "POST" : route.method,
    url: `${path}?${toQuery(query)}`,
    headers: {
      ...Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
      ...{ authorization, "user-agent": agent },
    },
    remoteAddress: request.ip,
    signal,
    payloadAsStream: true,
    ...(route.body === undefined ? {} : { payload: Object.fromEntries(left) }),
  });
  const retryAfter = answer.headers["retry-after"];
  return {
    ...{ status: answer.statusCode, text: await readText(answer.stream()) },
    retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
  };
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > LONGEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function take(left: Map<string, unknown>, name: string): unknown {
  const value = left.get(name);
  left.delete(name);
  return value;
}

function takeAll(left: Map<string, unknown>, names: readonly string[]): [string, unknown][] {
  return names
    .map((name): [string, unknown] => [name, take(left, name)])
    .filter(([, value]) => value !== undefined);
}

/** Lists as repeated names, and objects in brackets, as the API reads them. */
function toQuery(entries: readonly [string, unknown][]): string {
  const query = new URLSearchParams();
  for (const [name, value] of entries) {
    if (Array.isArray(value)) for (const each of value) query.append(name, String(each));
    else if (typeof value === "object" && value !== null) {
      for (const [key, each] of Object.entries(value))
        query.append(`${name}[${key}]`, String(each));
    } else query.append(name, String(value));
  }
  return query.toString();
}
