import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { AppError } from "#platform";
import { describeWrongKey } from "./describe-wrong-key.ts";

const PREFIX = "svc_key_";
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** `svc_key_`, 256 random bits as 43 base64url characters, and their CRC-32 as 6 more. */
export function newApiKey(): string {
  const random = randomBytes(32).toString("base64url");
  return `${PREFIX}${random}${checksum(random)}`;
}

/** Whether the text has the form of a key of ours, or of a preset one (a UUID v4). */
export function isApiKey(text: string): boolean {
  if (UUID_V4.test(text)) return true;
  if (!/^svc_key_[A-Za-z0-9_-]{49}$/.test(text)) return false;
  const random = text.slice(PREFIX.length, PREFIX.length + 43);
  return text.slice(PREFIX.length + 43) === checksum(random);
}

/** The key of an Authorization header (`Bearer <key>`), or the 401 that says what is wrong with it. */
export function parseAuthorization(header: string | undefined): string {
  if (header === undefined) throw new AppError("missing_auth_header");
  const key = header.replace(/^bearer(\s+|$)/i, "").trim();
  if (key === "") throw new AppError("malformed_auth_header");
  requireKeyCharacters(key);
  return key;
}

function requireKeyCharacters(key: string): void {
  if (/^\S+ /.test(key)) {
    const message = "The Authorization header is not of the form `Bearer <key>`.";
    throw new AppError("malformed_auth_header", message);
  }
  const odd = key.search(/[^!-~]/);
  if (odd < 0) return;
  throw new AppError(
    "malformed_auth_header",
    `The API key holds a character that keys never have, at position ${odd + 1}; copy it again.`,
  );
}

export function requireApiKeyForm(key: string): void {
  if (!isApiKey(key)) throw new AppError("invalid_secret_key_format", describeWrongKey(key));
}

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString("base64url");
}
