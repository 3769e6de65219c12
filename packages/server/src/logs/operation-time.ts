import type { OperationId } from "#foundation";

/** When the operation was made: the first 48 bits of a UUID v7 are milliseconds (RFC 9562 5.7). */
export function operationTime(id: OperationId): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
