import { invalidFields } from "#foundation";

export type TlsMode = "verify-full" | "verify-ca" | "require" | "disable";

/** Where a database is, and how one signs in there. */
export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: TlsMode;
}

const DEFAULT_PORT = 5432;
const tlsModes: readonly TlsMode[] = ["verify-full", "verify-ca", "require", "disable"];

/**
 * Reads the URL of a database; throws invalid_body, without repeating it. Only what is known here may be in it: other
 * parameters of libpq name files and sockets of this machine.
 */
export function readConnectionUrl(text: string): ConnectionTarget {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "postgres:" && url.protocol !== "postgresql:")) {
    throw fault("must be `postgres://user:password@host:port/database`");
  }
  const parts = [url.hostname, url.username, url.password, url.pathname.slice(1)].map(decode);
  const [host = "", user = "", password = "", database = ""] = parts;
  if (host === "" || user === "" || database === "") {
    throw fault("must have a user, a host and a database");
  }
  // Behind a percent sign a URL of this kind can hold a path, which would be a socket of this machine.
  if (!/^([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])$/.test(host)) throw fault("has no valid host");
  if (database.includes("/")) throw fault("must have one database behind the host");
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return { host: bare, port, user, password, database, tls: readTlsMode(url.searchParams) };
}

/** Host, port and database, to be shown. */
export function addressOf({ host, port, database }: ConnectionTarget): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}/${database}`;
}

function readTlsMode(query: URLSearchParams): TlsMode {
  for (const name of query.keys()) {
    if (name !== "sslmode") {
      throw fault("may have no parameter but `sslmode`; certificates go to `ca_certificate`");
    }
  }
  const given = query.get("sslmode") ?? "verify-full";
  const mode = tlsModes.find((known) => known === given);
  if (mode === undefined) throw fault(`must have an \`sslmode\` of ${tlsModes.join(", ")}`);
  return mode;
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes("\0")) return decoded;
  } catch {
    // What is not encoded as it should be is refused below.
  }
  throw fault("has characters that are not encoded as they should be (`%25` for `%`)");
}

function fault(message: string) {
  return invalidFields("invalid_body", [{ path: ["url"], message }]);
}
