import { randomBytes, timingSafeEqual } from "node:crypto";
import type { SystemContext } from "#foundation";
import { lookupHash } from "#vault";

/** Hash purpose of the ids. */
const PURPOSE = "popup-client";
const shape = /^([\w-]{22})\.([\w-]{43})$/;

/** An id that only this installation makes: it carries its own proof, so that nothing is stored for it yet. */
export async function newClientId(ctx: SystemContext): Promise<string> {
  const name = randomBytes(16).toString("base64url");
  return `${name}.${(await lookupHash(ctx, PURPOSE, name)).toString("base64url")}`;
}

/** Whether this installation made the id; callers send what they like. */
export async function isClientId(ctx: SystemContext, text: string): Promise<boolean> {
  const [, name, proof] = shape.exec(text) ?? [];
  if (name === undefined || proof === undefined) return false;
  const expected = await lookupHash(ctx, PURPOSE, name);
  const given = Buffer.from(proof, "base64url");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
