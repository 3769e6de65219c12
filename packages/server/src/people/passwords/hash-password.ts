import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const deriveKey = promisify(argon2);

/** What OWASP recommends at least: 19 MiB, two passes, one thread. Takes about 50 ms. */
const current = { memory: 19_456, passes: 2, parallelism: 1 } as const;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** The password as a PHC string of argon2id, which names its parameters, so that they can rise later. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const hash = await derive(password, { ...current, nonce, tagLength: HASH_BYTES });
  const { memory, passes, parallelism } = current;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(nonce)}$${encode(hash)}`;
}

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{22,86})$/;

/** Whether the password is that of a PHC string; false for a text that is none. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce = "", hash = ""] = phc.exec(stored) ?? [];
  if (memory === undefined) return false;
  const expected = Buffer.from(hash, "base64");
  const given = await derive(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, "base64"),
    tagLength: expected.length,
  });
  return timingSafeEqual(given, expected);
}

/** Whether it was made with weaker parameters than new ones are. */
export function isOutdated(stored: string): boolean {
  const { memory, passes, parallelism } = current;
  return !stored.startsWith(`$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`);
}

/** The same text can be typed in several forms of Unicode. */
async function derive(
  password: string,
  parameters: Omit<Argon2Parameters, "message">,
): Promise<Buffer> {
  return await deriveKey("argon2id", { ...parameters, message: password.normalize("NFKC") });
}

function encode(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
