import { randomUUID } from "node:crypto";
import type { PlatformProcess } from "@jackfield/simulator";
import type { Answer, Harbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

type Change = "metadata" | "tags" | "reconnect" | "delete";

/** R8: what customers change while a refresh runs stays changed. */
export async function runChanges(harbor: Harbor, trialsEach: number): Promise<TrialResult> {
  const [platform, other] = [await harbor.start(), await harbor.start()];
  const violations: string[] = [];
  for (const change of ["metadata", "tags", "reconnect", "delete"] as const) {
    const revokedBefore = harbor.provider.journal.revocations;
    const ids = await harbor.connect(platform, trialsEach);
    await harbor.expire(ids);
    const allThere = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    let there = 0;
    harbor.gateway.onPoint(async (point) => {
      if (point !== "granted") return;
      there += 1;
      if (there === trialsEach) allThere.resolve();
      await changed.promise;
    });
    const refreshes = ids.map((id) => harbor.get(platform, id));
    await allThere.promise;
    const mark = randomUUID();
    for (const id of ids) await apply(harbor, other, { change, id, mark });
    changed.resolve();
    harbor.gateway.onPoint(undefined);
    const answers = await Promise.all(refreshes);
    // What came for credentials that had been replaced or deleted is given up at the provider.
    const revoked = harbor.provider.journal.revocations - revokedBefore;
    const discarded = change === "reconnect" || change === "delete" ? trialsEach : 0;
    if (revoked !== discarded) violations.push(`${change}: ${revoked} of ${discarded} revoked`);
    for (const [index, id] of ids.entries()) {
      const seen = answers[index];
      const now = await harbor.get(platform, id);
      const reported = `${change} ${index}: ${seen?.status} then ${now.status} ${now.token}`;
      if (!holds(change, { seen: seen?.status, now, mark })) violations.push(reported);
    }
  }
  const trials = 4 * trialsEach;
  await Promise.all([platform.stop(), other.stop()]);
  return { id: "R8", trials, violations, note: "metadata, tags, reconnect, delete" };
}

async function apply(
  harbor: Harbor,
  platform: PlatformProcess,
  { change, id, mark }: { change: Change; id: string; mark: string },
): Promise<void> {
  const name = { connection_id: id, provider_config_key: "harbor" };
  if (change === "metadata") {
    await harbor.send(platform, "PATCH", "/connections/metadata", { ...name, metadata: { mark } });
  } else if (change === "tags") {
    const path = `/connections/${id}?provider_config_key=harbor`;
    await harbor.send(platform, "PATCH", path, { tags: { mark } });
  } else if (change === "reconnect") {
    const credentials = { type: "OAUTH2", access_token: mark, refresh_token: mark };
    await harbor.send(platform, "POST", "/connections", { ...name, credentials });
  } else {
    await harbor.send(platform, "DELETE", `/connections/${id}?provider_config_key=harbor`);
  }
}

function holds(
  change: Change,
  result: {
    seen: number | undefined;
    now: Answer;
    mark: string;
  },
): boolean {
  const { seen, now, mark } = result;
  if (change === "delete") return seen !== 200 && now.status !== 200;
  if (seen !== 200 || now.status !== 200) return false;
  if (change === "reconnect") return now.token === mark;
  const kept = change === "tags" ? now.tags : now.metadata;
  return now.token !== undefined && JSON.stringify(kept) === JSON.stringify({ mark });
}
