import type { NewLink } from "./user-link.ts";

export function presentLink({ url, expiresAt }: NewLink) {
  return { url, expires_at: expiresAt.toISOString() };
}
