import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { AppError } from "#foundation";

const KEY_LENGTH = 57;

// What people put in place of a key, most telling first. None of it is named in the answer but what cannot be secret.
const kinds: readonly [RegExp, string | ((key: string) => string)][] = [
  [
    /^svc_connect_session_/,
    "This is a connect session token; this route takes an API key (`svc_key_…`).",
  ],
  [/^whsec_/, "This is a webhook signing key; this route takes an API key (`svc_key_…`)."],
  [
    /^(undefined|null|None|nil|NaN|\[object Object\])$/,
    (key) => `The API key is the text "${key}": the variable that should hold it is not set.`,
  ],
  [
    /^(\$\{?\w+\}?|<[^>]*>|\{\{.*\}\}|%\w+%)$/,
    "The API key is a placeholder: replace it with the key itself.",
  ],
  [/^["'`]|["'`]$/, "The API key is in quotes; send it without them."],
  [
    /^svc_key_/,
    ({ length }) => {
      if (length === KEY_LENGTH) {
        return "The API key has a wrong character: its checksum does not match. Copy it again.";
      }
      const fault = length < KEY_LENGTH ? "is cut off" : "is too long";
      return `The API key ${fault}: it has ${length} characters, and keys have ${KEY_LENGTH}; copy it again.`;
    },
  ],
  [
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    "This is a UUID, but not of version 4, which preset keys are; other keys start with `svc_key_`.",
  ],
];

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

/** What a text in place of an API key is, and what to do; undefined when nothing tells. Never holds a secret. */
function describeWrongKey(key: string): string | undefined {
  const message = kinds.find(([pattern]) => pattern.test(key))?.[1];
  return typeof message === "function" ? message(key) : message;
}
