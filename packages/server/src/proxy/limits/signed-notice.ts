import { createHmac, timingSafeEqual } from "node:crypto";
import type { Keys } from "#foundation";

type MasterKeys = { readonly keys: Pick<Keys, "ring"> };
type MasterKey = Keys["ring"][number];

/**
 * A notice that only processes with the master key can make. Any login of the database can send notices: of
 * those that nothing stored confirms, the sender has to be known. A release before reads it without the last word.
 */
export function signNotice({ keys }: MasterKeys, text: string): string {
  const [key] = keys.ring;
  return key === undefined ? text : `${text} ${signatureOf(key, text)}`;
}

/** The text of a notice that was signed; undefined for any other. */
export function readSignedNotice({ keys }: MasterKeys, signed: string): string | undefined {
  const end = signed.lastIndexOf(" ");
  const [text, signature] = [signed.slice(0, Math.max(end, 0)), Buffer.from(signed.slice(end + 1))];
  const isKnown = keys.ring.some((key) => {
    const expected = Buffer.from(signatureOf(key, text));
    return expected.byteLength === signature.byteLength && timingSafeEqual(expected, signature);
  });
  return isKnown ? text : undefined;
}

function signatureOf({ key }: MasterKey, text: string): string {
  return createHmac("sha256", key.reveal()).update(`notice ${text}`).digest("base64url");
}
