import ipaddr from "ipaddr.js";
import * as z from "zod";
import { SECOND, Secret } from "#foundation";

// What values of settings look like, each with the words for one that does not.

export const MEBIBYTE = 1024 * 1024;

export const secretText = z.string().transform((text) => new Secret(text));

export const webAddress = z
  .url({ protocol: /^https?$/, error: "is not an http or https address" })
  .transform((url) => url.replace(/(?<!\/)\/+$/, ""));

export function megabytes(fallback: number) {
  return z
    .string()
    .regex(/^\d{1,6}$/, "is not a whole number of megabytes")
    .transform((text) => Number(text) * MEBIBYTE)
    .default(fallback);
}

export function seconds(fallback: number) {
  return z
    .string()
    .regex(/^[1-9]\d{0,4}$/, "is not a whole number of seconds from 1 to 99999")
    .transform((text) => Number(text) * SECOND)
    .default(fallback * SECOND);
}

export function webhooks(fallback: number) {
  return z
    .string()
    .regex(/^\d{1,8}$/, "is not a whole number of webhooks (0 for no limit)")
    .transform(Number)
    .default(fallback);
}

const USER_IDS = "is not a range of at least 64 user ids, such as 1900000000-1900065535";

export const userIdRange = z
  .string()
  .regex(/^[1-9]\d{0,9}-[1-9]\d{0,9}$/, USER_IDS)
  .transform((text) => {
    const [first = 0, last = 0] = text.split("-").map(Number);
    return { first, count: last - first + 1 };
  })
  // The last id but one is the highest that is one: -1 has a meaning of its own.
  .refine(({ first, count }) => count >= 64 && first + count < 2 ** 32, USER_IDS);

export const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: "is not a postgres:// address" })
  .transform((url) => new Secret(url));

export const port = z
  .string()
  .regex(/^\d{1,5}$/, "is not a port number")
  .transform(Number)
  .pipe(z.number().max(65_535));

export function isEncryptionKey(text: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) && Buffer.from(text, "base64").byteLength === 32;
}

/** Items between commas; empty ones are left out. */
export const commaList = z
  .string()
  .default("")
  .transform((text) => text.split(",").map((item) => item.trim()))
  .transform((items) => items.filter((item) => item !== ""));

function isRange(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}

export function isRangeOrHost(text: string): boolean {
  if (isRange(text)) return true;
  return /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text);
}

/** Scheme, host and port of a page, as browsers send them. */
const webOrigin = z
  .string()
  .refine(
    (text) => URL.parse(text)?.origin === text,
    "has an item that is no origin such as https://app.example.com",
  );

const hostName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i,
    "is not the name of a host, such as proxy.example.com",
  )
  .transform((name) => name.toLowerCase());

/** Settings about calls to other MCP servers, and of clients that know tasks. */
export const mcpSettings = {
  SVC_MCP_CALL_TIMEOUT: seconds(300),
  SVC_MCP_IDLE_TIMEOUT: seconds(60),
  SVC_MCP_ANSWER_LIMIT: megabytes(10 * MEBIBYTE),
  SVC_MCP_TASK_AFTER: seconds(20),
} as const;

/** Settings about who calls, from where, and by which names. */
export const callerSettings = {
  SVC_COMPAT_PREFIX: z
    .string()
    .regex(/^(?!svc$)[a-z][a-z0-9]{1,30}$/, "is not a word of 2 to 31 small letters and digits")
    .optional(),
  SVC_PROXY_HOST: hostName.optional(),
  SVC_MCP_ALLOWED_ORIGINS: commaList.pipe(z.array(webOrigin)),
  SVC_TRUSTED_PROXIES: commaList.pipe(
    z.array(z.string().refine(isRange, "has an item that is no CIDR range or address")),
  ),
  SVC_RATE_LIMIT_PER_MIN: z
    .string()
    .regex(/^\d{1,9}$/, "is not a whole number of calls (0 for no limit)")
    .transform(Number)
    .default(0),
} as const;

/** Settings of where the installation keeps what it has. */
export const databaseSettings = {
  SVC_DATABASE_URL: postgresUrl.optional(),
  SVC_DATABASE_DIRECT_URL: postgresUrl.optional(),
  SVC_DATABASE_POOLED: z.enum(["auto", "true", "false"]).default("auto"),
  SVC_DATABASE_CONNECTIONS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "is not a number of connections from 1 to 999")
    .transform(Number)
    .optional(),
  SVC_DATABASE_REPLICA_URLS: commaList.pipe(z.array(postgresUrl)),
  SVC_LOGS_DATABASE_URL: postgresUrl.optional(),
  SVC_MIGRATE: z.enum(["auto", "off"]).default("auto"),
} as const;

export interface DatabaseConfig {
  readonly databaseUrl: Secret<string> | undefined;
  readonly databaseDirectUrl: Secret<string> | undefined;
  /** Whether the main address leads through a transaction pooler; `auto`: found out at start. */
  readonly databasePooled: boolean | "auto";
  /** Most connections of this process to the database, next to a few of its own kind. */
  readonly databaseConnections: number;
  /** Standbys of the database that lists are read from. */
  readonly databaseReplicaUrls: readonly Secret<string>[];
  /** Where operations and their messages are; undefined: in the database of everything else. */
  readonly logsDatabaseUrl: Secret<string> | undefined;
  /** Whether a start migrates the database, or waits until something else has done it. */
  readonly migrate: "auto" | "off";
}

type DatabaseValues = z.infer<z.ZodObject<typeof databaseSettings>>;

export function readDatabases(values: DatabaseValues, apiProcesses: number): DatabaseConfig {
  const { SVC_DATABASE_POOLED: pooled } = values;
  return {
    databaseUrl: values.SVC_DATABASE_URL,
    databaseDirectUrl: values.SVC_DATABASE_DIRECT_URL ?? values.SVC_DATABASE_URL,
    databasePooled: pooled === "auto" ? "auto" : pooled === "true",
    databaseConnections: values.SVC_DATABASE_CONNECTIONS ?? shareOf(apiProcesses),
    databaseReplicaUrls: values.SVC_DATABASE_REPLICA_URLS,
    logsDatabaseUrl: values.SVC_LOGS_DATABASE_URL,
    migrate: values.SVC_MIGRATE,
  };
}

/** Settings that are at odds with each other, in words. */
export function findDatabaseFaults(values: DatabaseValues): string[] {
  const main = [values.SVC_DATABASE_URL, values.SVC_DATABASE_DIRECT_URL].map((url) =>
    url?.reveal(),
  );
  const logs = values.SVC_LOGS_DATABASE_URL?.reveal();
  const replicas = values.SVC_DATABASE_REPLICA_URLS.map((url) => url.reveal());
  return [
    ...(logs !== undefined && main.includes(logs)
      ? ["SVC_LOGS_DATABASE_URL is the database of everything else: leave it out"]
      : []),
    ...(replicas.some((url) => main.includes(url))
      ? ["SVC_DATABASE_REPLICA_URLS has the primary among the replicas"]
      : []),
    ...(replicas.length > 0 && values.SVC_DATABASE_URL === undefined
      ? ["SVC_DATABASE_REPLICA_URLS needs SVC_DATABASE_URL: the embedded database has no replicas"]
      : []),
  ];
}

/** Of the connections of a database as it is usually set up, which takes a hundred. */
function shareOf(apiProcesses: number): number {
  return apiProcesses === 1 ? 20 : Math.max(3, Math.floor(60 / (apiProcesses + 1)));
}

/** Options of Node that write the memory of a process, and so its secrets, to files or open it to a debugger. */
export function warnOfDumps(nodeOptions: string): string[] {
  return nodeOptions
    .split(/\s+/)
    .filter((option) => /^--(heapsnapshot|heap-prof|inspect|abort-on-uncaught)/.test(option))
    .map(
      (option) =>
        `NODE_OPTIONS has ${option}: memory with secrets may get into files or a debugger`,
    );
}
