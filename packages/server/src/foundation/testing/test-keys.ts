import { randomBytes } from "node:crypto";
import { type Keys, masterKeyId } from "../keys.ts";
import { Secret } from "../secret.ts";

/** A master key ring of its own, without cached data keys. */
export function testKeys(): Keys {
  const key = randomBytes(32);
  return { ring: [{ id: masterKeyId(key), key: new Secret(key) }], dataKeys: new Map() };
}
