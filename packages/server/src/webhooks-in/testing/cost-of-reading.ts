import { writeSorted } from "#foundation/json";
import { routers } from "../match/all-routers.ts";
import { UnreadableWebhook } from "../match/router.ts";
import { hostileBodies } from "./hostile-bodies.ts";

interface ReadingCost {
  readonly name: string;
  readonly msPerMegabyte: number;
}

/** What reading each hostile body of so many bytes costs each router, the dearest first. */
export function measureReading(bytes: number): ReadingCost[] {
  const costs: ReadingCost[] = [];
  for (const [router, { readsHeaders, read }] of Object.entries(routers)) {
    if (readsHeaders === true) continue;
    for (const { name, contentType, body } of hostileBodies(bytes)) {
      const headers = { "content-type": contentType };
      const decoded = { method: "POST", url: "https://here.example/w", headers, query: {}, body };
      const before = process.threadCpuUsage();
      try {
        for (const { payload } of read(decoded)) writeSorted(payload);
      } catch (error) {
        if (!(error instanceof UnreadableWebhook)) throw error;
      }
      const { user, system } = process.threadCpuUsage(before);
      const msPerMegabyte = ((user + system) / 1000 / body.byteLength) * 2 ** 20;
      costs.push({ name: `${router}: ${name}`, msPerMegabyte });
    }
  }
  return costs.toSorted((a, b) => b.msPerMegabyte - a.msPerMegabyte);
}
