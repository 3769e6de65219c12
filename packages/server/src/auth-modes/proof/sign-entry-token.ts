import { renderRaw, type SignedToken, TemplateError } from "@jackfield/catalogue";
import { AppError, addMs, SECOND } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderFields } from "../apply/write-call.ts";
import type { AuthSubject, Credentials } from "../auth-mode.ts";
import { signJwt } from "./sign-jwt.ts";

export interface SignedEntryToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** The JWT that an entry describes, signed; throws invalid_body when a value or the key is of no use. */
export async function signEntryToken(
  subject: AuthSubject,
  rules: SignedToken,
  credentials: Credentials,
  now: Date,
): Promise<SignedEntryToken> {
  const values = { ...toTemplateValues(subject, credentials), now };
  const issuedAt = Math.floor(now.getTime() / SECOND) - rules.backdate_s;
  const exp = issuedAt + rules.backdate_s + rules.lifetime_s;
  try {
    const key = renderRaw(rules.key, values);
    const token = await signJwt({
      alg: rules.alg,
      key: rules.alg.startsWith("HS") ? Buffer.from(key, rules.key_encoding) : key,
      header: renderFields(rules.header, values),
      claims: { iat: issuedAt, exp, ...renderFields(rules.claims, values) },
    });
    return { token, expiresAt: addMs(new Date(0), exp * SECOND) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const what = error instanceof TemplateError ? `: ${error.message}` : "; check the private key";
    throw new AppError("invalid_body", `The token cannot be signed${what}.`, { cause: error });
  }
}
