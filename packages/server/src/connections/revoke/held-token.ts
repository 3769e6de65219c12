import type { Credentials } from "#auth-modes";
import type { EnvironmentContext } from "#foundation";
import { lookupHash } from "#vault";

/**
 * Keyed hash of the token that a withdrawal would end, by which other connections that hold it are found; null
 * where there is none.
 */
export async function hashHeldToken(
  ctx: EnvironmentContext,
  credentials: Credentials,
): Promise<Buffer | null> {
  // Of an app that acts for a user, the user's own tokens are withdrawn.
  const holder = isObject(credentials["user"]) ? credentials["user"] : credentials;
  const token = ["refresh_token", "access_token", "token"]
    .map((name) => Reflect.get(holder, name))
    .find((value) => typeof value === "string" && value !== "");
  return typeof token === "string" ? await lookupHash(ctx, "held-token", token) : null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
