import * as z from "zod";
import type { Secret } from "#foundation";

/** Settings of how records are stored, and read by SQL. */
export const recordSettings = {
  SVC_RECORD_STORAGE: z.enum(["sealed", "plain"]).default("sealed"),
  SVC_SQL_ACCESS: z.enum(["on", "off"]).default("off"),
  SVC_SQL_ACCESS_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: "is not a postgres:// address" })
    .refine(
      (url) => URL.parse(url)?.username === "" && URL.parse(url)?.password === "",
      "has a user or a password: each environment gets its own",
    )
    .optional(),
} as const;

type RecordValues = z.infer<z.ZodObject<typeof recordSettings>> & {
  readonly SVC_DATABASE_URL?: Secret<string> | undefined;
};

export interface RecordConfig {
  /** Whether records are encrypted, or JSON that SQL can read. */
  readonly recordStorage: "sealed" | "plain";
  /** Where environments reach the database with logins of their own (no user or password); undefined: they have none. */
  readonly sqlAccess: { readonly url: string } | undefined;
}

export function readRecordSettings(values: RecordValues): RecordConfig {
  return { recordStorage: values.SVC_RECORD_STORAGE, sqlAccess: readSqlAccess(values) };
}

function readSqlAccess(values: RecordValues): RecordConfig["sqlAccess"] {
  if (values.SVC_SQL_ACCESS === "off") return undefined;
  const url = URL.parse(values.SVC_SQL_ACCESS_URL ?? values.SVC_DATABASE_URL?.reveal() ?? "");
  if (url === null) return undefined;
  url.username = "";
  url.password = "";
  // Settings of the server's own connections, such as files with its certificates.
  if (values.SVC_SQL_ACCESS_URL === undefined) url.search = "";
  return { url: url.href };
}

/** What SQL access needs and does not have, in words. */
export function findSqlAccessFaults(values: RecordValues): string[] {
  if (values.SVC_SQL_ACCESS === "off") return [];
  return [
    ...(values.SVC_RECORD_STORAGE === "sealed"
      ? ["SVC_SQL_ACCESS needs SVC_RECORD_STORAGE=plain: SQL cannot read encrypted records"]
      : []),
    ...(values.SVC_DATABASE_URL === undefined
      ? [
          "SVC_SQL_ACCESS needs SVC_DATABASE_URL: the embedded database takes connections of this machine alone, without passwords",
        ]
      : []),
  ];
}
