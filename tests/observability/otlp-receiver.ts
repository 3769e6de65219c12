import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import * as z from "zod";

const attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string().optional(), intValue: z.unknown().optional() }),
});
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(attribute),
});
const traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});
const metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      scopeMetrics: z.array(z.object({ metrics: z.array(z.object({ name: z.string() })) })),
    }),
  ),
});

export type ReceivedSpan = z.infer<typeof span>;

/** A collector: keeps what comes by OTLP/HTTP as JSON, and of protobuf how often it came. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly metricNames: ReadonlySet<string>;
  readonly services: ReadonlySet<string>;
  /** All that was received, as text. */
  readonly text: string;
  readonly protobufPaths: readonly string[];
  /** What was received and is no OTLP. */
  readonly faults: readonly string[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metricNames = new Set<string>();
  const services = new Set<string>();
  const protobufPaths: string[] = [];
  const texts: string[] = [];
  const faults: string[] = [];
  const take = (path: string, body: unknown) => {
    texts.push(JSON.stringify(body));
    if (path === "/v1/metrics") {
      for (const { scopeMetrics } of metrics.parse(body).resourceMetrics) {
        for (const { name } of scopeMetrics.flatMap((scope) => scope.metrics))
          metricNames.add(name);
      }
      return;
    }
    for (const { resource, scopeSpans } of traces.parse(body).resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === "service.name");
      services.add(name?.value.stringValue ?? "");
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
  };
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (request.headers["content-type"] === "application/x-protobuf") {
      request.resume();
      request.on("end", () => {
        protobufPaths.push(path);
        response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
      });
      return;
    }
    json(request)
      .then((body) => {
        take(path, body);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      })
      .catch((error: unknown) => {
        faults.push(String(error));
        response.writeHead(400).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metricNames,
    services,
    protobufPaths,
    faults,
    get text() {
      return texts.join("\n");
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
