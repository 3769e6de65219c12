import { createHash, createPublicKey, verify } from "node:crypto";
import * as z from "zod";
import { UserError } from "../../user-error.ts";

const keys = z.array(
  z.looseObject({
    ...{ kty: z.string(), crv: z.string(), kid: z.string(), x: z.string() },
    retired_at: z.string().nullish(),
  }),
);
const keySet = z.looseObject({ keys });
const file = z.looseObject({
  revocation: z.looseObject({ report: z.string().nullable() }),
  connections: z.array(
    z.looseObject({ id: z.number(), state: z.string(), report: z.string().nullable() }),
  ),
  keys,
});
// Clocks differ, and other processes may sign with the former key for a moment.
const RETIRED_SKEW_MS = 5 * 60_000;

type Keys = z.output<typeof keys>;

/**
 * Verifies the signature of each report, that it is of the connection and state next to it, and that the summary's hash
 * is that over all of them; throws a UserError that names what does not hold. `trusted` is a JWK set in place of the keys
 * that the file brings.
 */
export function verifyReports(
  text: string,
  trusted?: string,
): { connections: number; summary: boolean } {
  const { revocation, connections, keys: own } = readAs(file, text);
  const keys = trusted === undefined ? own : readAs(keySet, trusted).keys;
  const hash = createHash("sha256");
  let signed = 0;
  for (const { id, state, report } of connections.toSorted((a, b) => a.id - b.id)) {
    hash.update(`${report ?? ""}\n`);
    if (report === null) continue;
    const said = verifyOne(report, keys);
    signed += 1;
    const own = z.looseObject({ connection: z.looseObject({ id: z.number() }) }).safeParse(said);
    if (own.data?.connection.id !== id || said["state"] !== state) {
      throw new UserError(`The report of connection ${id} says something else than the file.`);
    }
  }
  if (revocation.report === null) return { connections: signed, summary: false };
  const summary = verifyOne(revocation.report, keys);
  if (summary["reports_sha256"] !== hash.digest("hex")) {
    throw new UserError("A report is missing or was replaced: the summary's hash is another one.");
  }
  return { connections: signed, summary: true };
}

function readAs<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new UserError("The file is no report of `jackfield revoke`, or no JWK set.", { cause });
  }
}

const parsed = z.record(z.string(), z.unknown());

/** A JWS in compact form (RFC 7515) with Ed25519 (RFC 8037). */
function verifyOne(report: string, keys: Keys): Readonly<Record<string, unknown>> {
  const [head = "", payload = "", signature = "", ...rest] = report.split(".");
  const { alg, kid } = readPart(head);
  const known = keys.find((key) => key.kid === kid);
  if (alg !== "EdDSA" || known === undefined || rest.length > 0) {
    throw new UserError("A report is not signed with a key of the file.");
  }
  const { kty, crv, x } = known;
  const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
  const isGenuine = verify(
    null,
    Buffer.from(`${head}.${payload}`),
    key,
    Buffer.from(signature, "base64url"),
  );
  if (!isGenuine) throw new UserError("A report was changed: its signature does not hold.");
  const said = readPart(payload);
  const retiredMs = known.retired_at ? Date.parse(known.retired_at) : Infinity;
  if (Number(said["iat"] ?? 0) * 1000 > retiredMs + RETIRED_SKEW_MS) {
    throw new UserError("A report is signed with a key that was retired before.");
  }
  return said;
}

function readPart(part: string): Record<string, unknown> {
  try {
    return parsed.parse(JSON.parse(Buffer.from(part, "base64url").toString()));
  } catch (cause) {
    throw new UserError("A report cannot be read.", { cause });
  }
}
