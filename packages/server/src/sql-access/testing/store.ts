import pg from "pg";
import { inject } from "vitest";

const RULES = ["local", "host"].map((type) => {
  const address = type === "host" ? " all" : "";
  return `${type} all +jackfield_sql_readers${address} scram-sha-256`;
});

/** The server of a test run trusts everybody: from now on it asks readers for their passwords. Another one is left as it is. */
export async function requirePasswords(): Promise<void> {
  const { url: administratorUrl, isOwn } = inject("databaseServer");
  if (!isOwn) return;
  const client = new pg.Client({ connectionString: administratorUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ path: string; rules: string }>(
      "select path, pg_read_file(path) as rules from current_setting('hba_file') as path",
    );
    const { path = "", rules = "" } = rows[0] ?? {};
    if (rules.startsWith(RULES.join("\n"))) return;
    const lines = [...RULES, ...rules.split("\n").filter((line) => !/^\s*(#|$)/.test(line))];
    const listed = lines.map((line) => `(${pg.escapeLiteral(line)})`).join(", ");
    await client.query(`copy (values ${listed}) to ${pg.escapeLiteral(path)}`);
    await client.query("select pg_reload_conf()");
  } finally {
    await client.end();
  }
}

/** Rejects as Postgres refuses. */
export async function signIn(
  connectionString: string,
  { role, password }: { readonly role: string; readonly password: string },
): Promise<pg.Client> {
  const url = new URL(connectionString);
  url.username = role;
  url.password = password;
  const client = new pg.Client({ connectionString: url.href, application_name: "a reader" });
  // A session that is ended is what some tests are about.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
