import { Secret, TOTP } from "otpauth";
import type { SystemContext } from "#foundation";
import { open, seal } from "#vault";

/** What every authenticator app takes: SHA-1, 6 digits, 30 s (RFC 6238). */
const PERIOD_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
const ISSUER = "Jackfield";

/** One period to each side, for clocks that differ and people who type. */
const WINDOW = 1;

type KeyHolder = Pick<SystemContext, "db" | "clock" | "keys" | "log">;

function aadOf(userId: string) {
  return { environmentId: null, table: "totp_secrets", column: "secret", row: userId };
}

export interface NewSecret {
  /** In base32. */
  readonly text: string;
  /** For the app. */
  readonly uri: string;
  readonly sealed: Buffer;
}

export async function newTotpSecret(
  ctx: KeyHolder,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<NewSecret> {
  const secret = new Secret({ size: SECRET_BYTES });
  const sealed = await seal(ctx, aadOf(id), secret.bytes);
  return { text: secret.base32, uri: totpOf(secret, email).toString(), sealed };
}

/** The period whose code this is; undefined for a code of none that is near. */
export async function findStepOf(
  ctx: KeyHolder,
  { userId, secret: sealed }: { readonly userId: string; readonly secret: Buffer },
  code: string,
): Promise<number | undefined> {
  const bytes = await open(ctx, aadOf(userId), sealed);
  const timestamp = ctx.clock.now().getTime();
  const totp = totpOf(new Secret({ buffer: new Uint8Array(bytes).buffer }), "");
  const distance = totp.validate({ token: code, timestamp, window: WINDOW });
  return distance === null ? undefined : totp.counter({ timestamp }) + distance;
}

function totpOf(secret: Secret, label: string): TOTP {
  const shape = { algorithm: "SHA1", digits: DIGITS, period: PERIOD_SECONDS };
  return new TOTP({ ...shape, issuer: ISSUER, label, secret });
}
