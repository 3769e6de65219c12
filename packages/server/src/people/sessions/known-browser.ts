import { randomBytes, timingSafeEqual } from "node:crypto";
import { DAY, SECOND, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { isSecure } from "./session-cookie.ts";

/**
 * Marks a browser in which somebody has signed in, so that failures elsewhere do not hold it up: 16 random bytes and a
 * keyed hash of them with the user. It admits nobody.
 */
const LIFE_MS = 400 * DAY;

type CookieContext = Pick<SystemContext, "db" | "clock" | "keys" | "settings">;

export async function writeKnownBrowser(ctx: CookieContext, email: string): Promise<string> {
  const id = randomBytes(16).toString("base64url");
  const proof = await proofOf(ctx, id, email);
  const secure = isSecure(ctx.settings) ? "; Secure" : "";
  return `${nameOf(ctx)}=${id}.${proof.toString("base64url")}; Path=/; Max-Age=${LIFE_MS / SECOND}; HttpOnly; SameSite=Strict${secure}`;
}

/** The browser's id, where this user has signed in with it before. */
export async function readKnownBrowser(
  ctx: CookieContext,
  { cookieHeader, email }: { cookieHeader: string | undefined; email: string },
): Promise<string | undefined> {
  const prefix = `${nameOf(ctx)}=`;
  const pair = (cookieHeader ?? "")
    .split(";")
    .map((text) => text.trim())
    .find((text) => text.startsWith(prefix));
  const [, id, sent] = /^([\w-]{22})\.([\w-]{43})$/.exec(pair?.slice(prefix.length) ?? "") ?? [];
  if (id === undefined || sent === undefined) return undefined;
  const proof = Buffer.from(sent, "base64url");
  const expected = await proofOf(ctx, id, email);
  return proof.length === expected.length && timingSafeEqual(proof, expected) ? id : undefined;
}

async function proofOf(ctx: CookieContext, id: string, email: string): Promise<Buffer> {
  return await lookupHash(ctx, "known_browser", JSON.stringify([id, email.toLowerCase()]));
}

function nameOf({ settings }: CookieContext): string {
  return isSecure(settings) ? "__Host-jackfield-known" : "jackfield-known";
}
