import type { RouteOutput, webhookDeliveryRoutes } from "@jackfield/contract";
import type { AttemptRow, DeliveryRow } from "./delivery-row.ts";
import type { OpenedDelivery } from "./get-delivery.ts";

type Delivery = RouteOutput<typeof webhookDeliveryRoutes.listWebhookDeliveries>["data"][number];
type WholeDelivery = RouteOutput<typeof webhookDeliveryRoutes.getWebhookDelivery>["data"];

export function presentDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhook_id: `msg_${row.id}`,
    type: row.type,
    url: row.url,
    state: row.state === "waiting" && row.isHeld ? "held" : row.state,
    connection_id: row.connectionId,
    provider_config_key: row.integrationKey,
    operation_id: row.operationId,
    attempt_count: row.attempts,
    last_status: row.lastStatus,
    last_error: row.lastError,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

export function presentWholeDelivery({ delivery, body, attempts }: OpenedDelivery): WholeDelivery {
  return {
    ...presentDelivery(delivery),
    body,
    attempts: attempts.map(({ status, error, answer, durationMs, createdAt, ...signed }) => ({
      status,
      error,
      answer,
      duration_ms: durationMs,
      created_at: createdAt.toISOString(),
      headers: headersOf(delivery.id, signed),
    })),
  };
}

/** By which the endpoint checks an attempt, as they were sent. */
function headersOf(
  id: string,
  { signedAt, signature }: Pick<AttemptRow, "signedAt" | "signature">,
): Record<string, string> | null {
  if (signedAt === null || signature === null) return null;
  return {
    "webhook-id": `msg_${id}`,
    "webhook-timestamp": signedAt,
    "webhook-signature": signature,
  };
}
