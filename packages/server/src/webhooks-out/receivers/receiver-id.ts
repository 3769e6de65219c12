import { createHash } from "node:crypto";
import type { EnvironmentId } from "#foundation";

/** The id of an address within an environment: every sender finds the same row (UUID v8, RFC 9562). */
export function receiverId(environmentId: EnvironmentId, url: string): string {
  const bytes = createHash("sha256").update(`${environmentId} ${url}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...groups, hex.slice(20)].join("-");
}
