import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { SystemContext } from "../../context.ts";
import { serverState } from "../../server-state.ts";

const compress = promisify(gzip);

/** Below this a compressed answer saves no packet. */
const WORTH_COMPRESSING = 1400;

// By tag: a list that is asked for again is compressed once.
const compressed = serverState(
  () =>
    new LRUCache<string, Buffer>({ maxSize: 8 * 1024 * 1024, sizeCalculation: (b) => b.length }),
);

/**
 * Gives the answer of a route with `tagged` its ETag: 304 where the client has it already (RFC 9110, 13.1.2),
 * and compressed where the client takes gzip. Such answers hold no secret, so their length tells nothing.
 */
export async function tagAnswer(
  ctx: Pick<SystemContext, "state">,
  {
    request,
    reply,
    route,
  }: { request: FastifyRequest; reply: FastifyReply; route: RouteDefinition },
  payload: unknown,
): Promise<unknown> {
  if (route.tagged !== true || reply.statusCode !== 200 || typeof payload !== "string") {
    return payload;
  }
  const digest = hash("sha256", payload, "base64url").slice(0, 22);
  const isPublic = route.principals.includes("public");
  reply.header("etag", `W/"${digest}"`);
  reply.header("cache-control", isPublic ? "public, no-cache" : "private, no-cache");
  reply.header("vary", varyOf(reply));
  if (isKnown(request.headers["if-none-match"], digest)) {
    reply.code(304).removeHeader("content-length").removeHeader("content-type");
    return null;
  }
  if (payload.length < WORTH_COMPRESSING || !takesGzip(request.headers["accept-encoding"])) {
    return payload;
  }
  const known = compressed.of(ctx).get(digest) ?? (await compress(payload));
  compressed.of(ctx).set(digest, known);
  reply.header("content-encoding", "gzip").header("content-length", known.length);
  return known;
}

function varyOf(reply: FastifyReply): string {
  const others = reply.getHeader("vary");
  return others === undefined ? "accept-encoding" : `${String(others)}, accept-encoding`;
}

/** Weak comparison, as for every GET (RFC 9110, 13.1.2). */
function isKnown(sent: string | undefined, digest: string): boolean {
  if (sent === undefined) return false;
  return sent.split(",").some((tag) => {
    const opaque = tag.trim().replace(/^W\//, "");
    return opaque === "*" || opaque === `"${digest}"`;
  });
}

function takesGzip(sent: string | undefined): boolean {
  return (sent ?? "").split(",").some((coding) => {
    const [name = "", ...parameters] = coding.split(";").map((part) => part.trim().toLowerCase());
    return (
      (name === "gzip" || name === "*") && !parameters.some((each) => /^q=0(\.0*)?$/.test(each))
    );
  });
}
