import { describe, expect, test } from "vitest";
import { startReplicaPair } from "../outages/replica-pair.ts";
import { findPrograms } from "../outages/standby.ts";

const programs = findPrograms();

describe.skipIf(programs === undefined)(
  "replicas (skipped where PostgreSQL's programs are not in /usr/lib/postgresql)",
  () => {
    test("U8: 10,000 times a write is followed by a reading of it, in any process: none is stale", async () => {
      await using pair = await startReplicaPair(programs ?? "");

      const stale = await Promise.all(
        Array.from({ length: 10 }, async (_, key) => await pair.countStale(1000, key)),
      );

      const { replica } = pair.readings;
      process.stdout.write(
        `\nU8: 10,000 writes and readings, ${replica} of these by the replica\n`,
      );
      expect(stale).toEqual(Array.from({ length: 10 }, () => 0));
      expect(replica).toBeGreaterThan(1000);
    });
  },
);
