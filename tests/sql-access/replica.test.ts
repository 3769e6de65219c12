import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunningServer, readConfig, startServer } from "@jackfield/server";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { tlsCertificates } from "../../packages/server/src/foundation/egress/testing/tls-certificates.ts";
import { withDatabase } from "../../packages/server/src/foundation/testing/administer.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { findPrograms, type Standby, startStandby } from "../outages/standby.ts";
import { saveRecords } from "./save-records.ts";

// As the page recommends: logins are refused on the primary and reach a streaming replica. The cluster is new, and the
// server's user is no superuser: it makes the groups itself.

const programs = findPrograms();
const PASSWORD = "of the server";
/** 30 s by default, which no test waits for. */
const STANDBY_DELAY_MS = 3000;

const stack = new AsyncDisposableStack();
let standby: Standby;
let server: RunningServer;
let key: string;
let administrator: pg.Client;
/** Of a test. */
const sessions: pg.Client[] = [];
let login: { url: string; role: string; password: string };

/** The page's rules, then those of this test's superuser, then the last line that installers write. */
async function readRules(): Promise<{ primary: string; standby: string }> {
  const page = await readFile("docs/sql-access.md", "utf8");
  const blocks = [...page.matchAll(/```text\n(# TYPE [\s\S]*?)```/g)].map(([, text = ""]) =>
    [
      text.replace("10.0.0.0/8", "127.0.0.0/8"),
      "host replication postgres 127.0.0.1/32 trust",
      "host all postgres 127.0.0.1/32 trust",
      "host all all all scram-sha-256\n",
    ].join("\n"),
  );
  const [primary, replica, ...others] = blocks;
  if (primary === undefined || replica === undefined || others.length > 0) {
    throw new Error("docs/sql-access.md has not two blocks of rules");
  }
  return { primary, standby: replica };
}

async function start(): Promise<void> {
  const rules = await readRules();
  const tls = {
    "server.crt": tlsCertificates.server.cert,
    "server.key": tlsCertificates.server.key,
  };
  standby = stack.use(
    await startStandby(programs ?? "", {
      primary: { "pg_hba.conf": rules.primary, ...tls },
      standby: { "pg_hba.conf": rules.standby },
    }),
  );
  for (const name of ["primary", "standby"] as const)
    await standby.query(name, "alter system set ssl = on");
  await standby.query(
    "standby",
    `alter system set max_standby_streaming_delay = ${STANDBY_DELAY_MS}`,
  );
  for (const name of ["primary", "standby"] as const)
    await standby.query(name, "select pg_reload_conf()");
  await standby.query("primary", `create role jackfield login createrole password '${PASSWORD}'`);
  await standby.query("primary", "create database jackfield owner jackfield");
  const own = new URL(withDatabase(standby.primaryUrl, "jackfield"));
  own.username = "jackfield";
  own.password = PASSWORD;
  const { config, problems } = readConfig({
    SVC_DATA_DIR: stack.use(await makeDataFolder()).path,
    SVC_DATABASE_URL: own.href,
    SVC_PORT: "0",
    SVC_LOG_LEVEL: "silent",
    SVC_RECORD_STORAGE: "plain",
    SVC_SQL_ACCESS: "on",
    SVC_SQL_ACCESS_URL: `postgres://127.0.0.1:${new URL(standby.standbyUrl).port}/jackfield`,
  });
  if (config === undefined) throw new Error(problems.join("\n"));
  server = stack.use(await startServer({ config }));
  key = server.newKeys?.dev ?? "";
}

async function call(method: string, path: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    "connection-id": "customer",
    "provider-config-key": "crm",
  };
  const response = await fetch(`${server.url}${path}`, { method, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text === "" ? undefined : JSON.parse(text);
}

/** On the replica, unless another place is named. Rejects as Postgres refuses. */
async function signIn({
  url = login.url,
  ssl = { ca: tlsCertificates.authority },
}: {
  url?: string;
  ssl?: pg.ClientConfig["ssl"];
} = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ssl });
  client.on("error", () => undefined);
  await client.connect();
  sessions.push(client);
  return client;
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "accepted",
    (error: Error) => error.message,
  );
}

/** As a reader who tries again and again; resolves to what Postgres says in the end. */
async function untilRefused(read: () => Promise<unknown>): Promise<string> {
  for (;;) {
    const message = await refusal(read());
    if (message !== "accepted") return message;
    await sleep(5);
  }
}

/** Resolves when the replica has what the primary has now. */
async function untilApplied(): Promise<void> {
  const { rows } = await standby.query("primary", "select pg_current_wal_lsn() as lsn");
  const isApplied = async () =>
    (await standby.query("standby", `select pg_last_wal_replay_lsn() >= '${rows[0].lsn}' as is`))
      .rows[0].is;
  await vi.waitFor(async () => expect(await isApplied()).toBe(true), { timeout: 15_000 });
}

/** A database of the primary, with the login's name and password. */
function onPrimary(database: string): string {
  const url = new URL(withDatabase(standby.primaryUrl, database));
  url.username = login.role;
  url.password = login.password;
  return url.href;
}

describe.skipIf(programs === undefined)(
  "logins on a replica (skipped where PostgreSQL's programs are not in /usr/lib/postgresql)",
  () => {
    beforeAll(async () => {
      await start();
      administrator = new pg.Client({
        connectionString: withDatabase(standby.primaryUrl, "jackfield"),
      });
      await administrator.connect();
      stack.defer(async () => await administrator.end());
      await saveRecords(administrator);
      login = (await call("POST", "/records/sql-access")).data;
      await untilApplied();
    });
    afterEach(async () => {
      for (const session of sessions.splice(0)) await session.end().catch(() => undefined);
    });
    afterAll(async () => await stack[Symbol.asyncDispose]());

    test("the server's user, which is no superuser, has made the groups and belongs to them", async () => {
      const { rows } = await administrator.query(
        `select rolname as name, rolcanlogin as login, pg_has_role('jackfield', oid, 'member') as member
           from pg_roles where rolname in ('jackfield_sql_readers', 'jackfield_sql_owner') order by 1`,
      );
      const { rows: users } = await administrator.query(
        "select rolsuper from pg_roles where rolname = 'jackfield'",
      );

      expect(users).toEqual([{ rolsuper: false }]);
      expect(rows).toEqual([
        { name: "jackfield_sql_owner", login: false, member: true },
        { name: "jackfield_sql_readers", login: false, member: true },
      ]);
    });

    test("a login reads on the replica what the API lists", async () => {
      const reader = await signIn();
      const { rows } = await reader.query("select id, data from contact order by id");
      const listed = await call("GET", "/records?model=Contact");

      expect(rows).toEqual([{ id: "dev", data: { id: "dev" } }]);
      expect(listed.records.map(({ id }: { id: string }) => id)).toEqual(["dev"]);
    });

    test("it is refused on the primary, and without TLS or in another database on the replica", async () => {
      const elsewhere = new URL(withDatabase(login.url, "postgres")).href;
      const refusals = [
        await refusal(signIn({ url: onPrimary("jackfield") })),
        await refusal(signIn({ url: onPrimary("jackfield"), ssl: false })),
        await refusal(signIn({ url: onPrimary("postgres") })),
        await refusal(signIn({ ssl: false })),
        await refusal(signIn({ url: elsewhere })),
      ];

      for (const message of refusals) expect(message).toMatch(/pg_hba.conf rejects connection/);
    });

    test("its locks are the replica's own, and it can neither send nor hear notices", async () => {
      const reader = await signIn();
      await reader.query("select pg_advisory_lock(7263894410)");

      const { rows } = await administrator.query("select pg_try_advisory_lock(7263894410) as free");
      await administrator.query("select pg_advisory_unlock(7263894410)");
      const refusals = [
        await refusal(reader.query("notify jackfield_due, 'x'")),
        await refusal(reader.query("select pg_notify('jackfield_due', 'x')")),
        await refusal(reader.query("listen jackfield_due")),
        await refusal(reader.query("set default_transaction_read_only = off; select lo_create(0)")),
      ];

      expect(rows).toEqual([{ free: true }]);
      for (const message of refusals) expect(message).toMatch(/during recovery|read-only/);
    });

    test("a rotation ends the old password on the replica; a session there stays open", async () => {
      const earlier = login;
      const reader = await signIn();

      login = { ...login, ...(await call("POST", "/records/sql-access/rotate")).data };
      await untilApplied();

      expect(await refusal(signIn({ url: earlier.url }))).toMatch(/password authentication failed/);
      expect(await refusal(signIn())).toBe("accepted");
      expect((await reader.query("select id from contact")).rows).toEqual([{ id: "dev" }]);
    });

    test("after a revocation nobody signs in and open sessions read nothing; what runs is ended", async () => {
      const [idle, prepared, reading, running] = [
        await signIn(),
        await signIn(),
        await signIn(),
        await signIn(),
      ];
      const statement = { name: "contacts", text: `select id from ${login.role}.contact` };
      for (const _ of [1, 2, 3, 4, 5, 6]) await prepared.query(statement);
      await reading.query("begin isolation level repeatable read");
      await reading.query("select id from contact");
      const sleeping = refusal(running.query("select pg_sleep(50) from contact"));

      const startedAt = performance.now();
      await call("DELETE", "/records/sql-access");
      const denied = await Promise.all(
        [() => idle.query(statement.text), () => prepared.query(statement)].map(untilRefused),
      );
      const deniedMs = performance.now() - startedAt;
      const signsIn = await refusal(signIn());
      const ended = await sleeping;
      const endedMs = performance.now() - startedAt;

      // By their rights: the transaction still keeps the replica from dropping the view.
      for (const message of denied) expect(message).toMatch(/permission denied/);
      expect(deniedMs).toBeLessThan(STANDBY_DELAY_MS);
      expect(signsIn).toMatch(/not permitted to log in/);
      expect(ended).toMatch(/conflict with recovery/);
      expect(endedMs).toBeLessThan(STANDBY_DELAY_MS + 10_000);
      expect(await refusal(reading.query(statement.text))).not.toBe("accepted");
      await expect
        .poll(async () => {
          const { rows } = await standby.query(
            "standby",
            `select from pg_roles where rolname = '${login.role}'`,
          );
          return rows.length;
        })
        .toBe(0);
      expect(await refusal(idle.query(statement.text))).toMatch(/does not exist/);
    });
  },
);
