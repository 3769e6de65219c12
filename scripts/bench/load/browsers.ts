// Browsers with the dashboard open, one stream each, in a process of their own. Those that show the list of operations
// read it again when the stream says so, at most every two seconds, as the page does.
import * as z from "zod";

const plan = z
  .object({
    url: z.url(),
    headers: z.record(z.string(), z.string()),
    topics: z.string(),
    browsers: z.number(),
    /** Whether each shows the list of operations. */
    showsOperations: z.boolean(),
  })
  .parse(JSON.parse(process.argv[2] ?? ""));

const LIST_EVERY_MS = 2000;
const DAY_MS = 86_400_000;
/** As the page does: `MOMENT_MS` of its paged queries. */
const MOMENT_MS = 10_000;
let reads = 0;

await Promise.all(
  Array.from({ length: plan.browsers }, async () => {
    const headers = { ...plan.headers, accept: "text/event-stream" };
    const answer = await fetch(`${plan.url}/events?topics=${plan.topics}`, { headers });
    if (answer.status !== 200 || answer.body === null) throw new Error(await answer.text());
    void follow(answer.body).catch(fail);
  }),
);
console.log("open");
process.on("SIGTERM", () => {
  console.log(`reads ${reads}`);
  process.exit(0);
});

async function follow(body: ReadableStream<Uint8Array>): Promise<void> {
  let readAt = 0;
  let isDue = false;
  const read = async () => {
    isDue = false;
    readAt = performance.now();
    reads += 1;
    const { headers } = plan;
    const moment = Math.floor(Date.now() / MOMENT_MS) * MOMENT_MS;
    const from = new Date(moment - DAY_MS).toISOString();
    const address = `${plan.url}/logs/operations?limit=100&from=${from}`;
    const answer = await fetch(address, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`the list was answered with ${answer.status}`);
  };
  for await (const chunk of body) {
    const isChanged = Buffer.from(chunk).includes("event: operations");
    if (!plan.showsOperations || isDue || !isChanged) continue;
    isDue = true;
    const waitMs = Math.max(0, readAt + LIST_EVERY_MS - performance.now());
    setTimeout(() => void read().catch(fail), waitMs);
  }
  throw new Error("the stream has ended");
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
