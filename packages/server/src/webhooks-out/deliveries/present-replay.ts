import type { RouteOutput, webhookDeliveryRoutes } from "@jackfield/contract";
import type { Replay } from "./replay.ts";

export function presentReplay({
  id,
  replayed,
  startedAt,
  endedAt,
}: Replay): RouteOutput<typeof webhookDeliveryRoutes.getWebhookReplay>["data"] {
  return {
    id,
    state: endedAt === null ? "running" : "done",
    replayed,
    started_at: startedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
