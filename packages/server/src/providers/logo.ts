import { createHash } from "node:crypto";
import { findLogo, makeMonogram } from "@jackfield/catalogue";
import { DAY, SECOND } from "#platform";
import type { RawExchange } from "#platform/http";

/**
 * Sends a provider's logo as SVG. One without an icon, or not of the catalogue, gets the letters of the
 * given name, which distinguishes integrations of one generic provider.
 */
export async function sendProviderLogo(
  { id, name }: { id: string; name: string | undefined },
  { request, reply }: RawExchange,
): Promise<void> {
  const svg = findLogo(id, name) ?? makeMonogram(name ?? id);
  const etag = `"${createHash("sha256").update(svg).digest("base64url").slice(0, 22)}"`;
  const headers = {
    etag,
    "cache-control": `public, max-age=${DAY / SECOND}`,
    "x-content-type-options": "nosniff",
    // Opened by itself, an image must be able to do no more than be seen.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
  };
  if (request.headers["if-none-match"] === etag) {
    await reply.status(304).headers(headers).send();
    return;
  }
  await reply
    .status(200)
    .headers({ ...headers, "content-type": "image/svg+xml; charset=utf-8" })
    .send(svg);
}
