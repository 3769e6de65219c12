import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, closeSync, existsSync, openSync, readFileSync, realpathSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";

/** Paths of the programs that a pair is made of. */
export interface PairPrograms {
  readonly etcd: string;
  readonly patroni: string;
  readonly haproxy: string;
  /** Its folder holds all programs of that PostgreSQL. */
  readonly postgres: string;
}

/** A primary and a synchronous standby under Patroni, behind HAProxy, which leads to the primary. */
export interface Pair extends AsyncDisposable {
  readonly url: string;
  readonly outages: Readonly<Record<OutageKind, () => Promise<void>>>;
  /** Resolves when there is a primary and a synchronous standby again. */
  settle(): Promise<void>;
}

export const outageKinds = ["restart", "kill", "switchover", "failover", "silence"] as const;
export type OutageKind = (typeof outageKinds)[number];

const SILENCE_MS = 30_000;
const SETTLED_WITHIN_MS = 90_000;
/** Postgres refuses to run as root. */
const NOBODY = 65_534;
const PASSWORD = "pair";

interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly folder: string;
  patroni: ChildProcess;
}

export async function startPair(programs: PairPrograms): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "jackfield-pair-"));
  const children: ChildProcess[] = [];
  const members: Member[] = [];
  stack.defer(async () => {
    await Promise.all(children.map(end));
    // Nobody is left who would start them again.
    for (const member of members) killPostgres(member.folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await chmod(folder, 0o755);
  const start = (program: string, args: readonly string[], log: string): ChildProcess => {
    const child = spawnAsUser(program, args, join(folder, log));
    children.push(child);
    return child;
  };
  const etcdPort = await startEtcd(programs, folder, start);
  for (const name of ["one", "two"]) {
    const place = await prepareMember({ name, folder, etcdPort, programs });
    const patroni = start(programs.patroni, [join(place.folder, "patroni.yaml")], `${name}.log`);
    members.push({ ...place, patroni });
    await untilTrue(async () => (await listRoles(members)).includes("leader"), `${name} runs`);
  }
  const { port, file } = await writeHaproxyFile(folder, members);
  const haproxy = start(programs.haproxy, ["-f", file, "-db"], "haproxy.log");
  const settle = async () => await untilTrue(async () => await isWhole(members), "pair is whole");
  await settle();
  const running = stack.move();
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    settle,
    outages: toOutages({ members, haproxy, programs, start }),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

type Start = (program: string, args: readonly string[], log: string) => ChildProcess;

interface Parts {
  readonly members: readonly Member[];
  readonly haproxy: ChildProcess;
  readonly programs: PairPrograms;
  readonly start: Start;
}

function toOutages({ members, haproxy, programs, start }: Parts): Pair["outages"] {
  const leader = async (): Promise<Member> => {
    const { name } = (await listMembers(members)).find(({ role }) => role === "leader") ?? {};
    const found = members.find((member) => member.name === name);
    if (found === undefined) throw new Error("no leader");
    return found;
  };
  return {
    async restart() {
      await callPatroni(await leader(), "/restart", {});
    },
    async kill() {
      process.kill(readPostmasterId((await leader()).folder), "SIGKILL");
    },
    async switchover() {
      const from = await leader();
      const to = members.find(({ name }) => name !== from.name);
      await callPatroni(from, "/switchover", { leader: from.name, candidate: to?.name });
    },
    // The whole machine: its agent and its server; it comes back when the other has taken over.
    async failover() {
      const lost = await leader();
      lost.patroni.kill("SIGKILL");
      killPostgres(lost.folder);
      await untilTrue(async () => (await leader().catch(() => lost)) !== lost, "the other leads");
      const config = join(lost.folder, "patroni.yaml");
      lost.patroni = start(programs.patroni, [config], `${lost.name}.log`);
    },
    async silence() {
      haproxy.kill("SIGSTOP");
      await sleep(SILENCE_MS);
      haproxy.kill("SIGCONT");
    },
  };
}

async function startEtcd({ etcd }: PairPrograms, folder: string, start: Start): Promise<number> {
  const [port, peerPort] = [await findFreePort(), await findFreePort()];
  const data = join(folder, "etcd");
  await makeOwnFolder(data);
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const args = [
    ...["--name", "only", "--data-dir", data],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
    ...["--initial-cluster", `only=${peer}`],
  ];
  start(etcd, args, "etcd.log");
  const isHealthy = async () => (await fetch(`${client}/health`)).ok;
  await untilTrue(async () => await isHealthy().catch(() => false), "etcd answers");
  return port;
}

interface MemberInput {
  readonly name: string;
  readonly folder: string;
  readonly etcdPort: number;
  readonly programs: PairPrograms;
}

async function prepareMember(input: MemberInput): Promise<Omit<Member, "patroni">> {
  const { name } = input;
  const folder = join(input.folder, name);
  await makeOwnFolder(folder);
  const [port, restPort] = [await findFreePort(), await findFreePort()];
  const config = toPatroniConfig({ ...input, folder, port, restPort });
  await writeFile(join(folder, "patroni.yaml"), stringify(config), { mode: 0o644 });
  return { name, folder, port, restPort };
}

function toPatroniConfig(member: MemberInput & { port: number; restPort: number }): object {
  const { name, folder, port, restPort, etcdPort, programs } = member;
  const login = (username: string) => ({ username, password: PASSWORD });
  return {
    scope: "pair",
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      // The shortest times that Patroni takes.
      dcs: {
        ...{ ttl: 20, loop_wait: 2, retry_timeout: 3, synchronous_mode: true },
        // Here alone: Patroni takes no notice of it in the settings of a member, and 100 are fewer than four processes
        // with both queues may have.
        postgresql: {
          ...{ use_pg_rewind: true, use_slots: true },
          parameters: { max_connections: 200 },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
      pg_hba: ["host all all 127.0.0.1/32 scram-sha-256"].concat(
        "host replication all 127.0.0.1/32 scram-sha-256",
      ),
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, "data"),
      bin_dir: dirname(realpathSync(programs.postgres)),
      pgpass: join(folder, "pgpass"),
      authentication: {
        superuser: login("postgres"),
        replication: login("replicator"),
        rewind: login("rewinder"),
      },
      parameters: {
        ...{ unix_socket_directories: folder, wal_log_hints: "on" },
        ...{ shared_buffers: "64MB", password_encryption: "scram-sha-256" },
      },
    },
  };
}

async function writeHaproxyFile(
  folder: string,
  members: readonly Member[],
): Promise<{ port: number; file: string }> {
  const port = await findFreePort();
  const servers = members.map(
    (it) => `  server ${it.name} 127.0.0.1:${it.port} check port ${it.restPort}`,
  );
  const lines = [
    ...["defaults", "  mode tcp", "  timeout connect 3s", "  timeout client 1h"],
    ...["  timeout server 1h", "listen primary", `  bind 127.0.0.1:${port}`],
    ...["  option httpchk OPTIONS /primary", "  http-check expect status 200"],
    "  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions",
    ...servers,
    "",
  ];
  const file = join(folder, "haproxy.cfg");
  await writeFile(file, lines.join("\n"), { mode: 0o644 });
  return { port, file };
}

interface Listed {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** As any member that answers sees the pair. */
async function listMembers(members: readonly Member[]): Promise<readonly Listed[]> {
  for (const { restPort } of members) {
    try {
      const signal = AbortSignal.timeout(2000);
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal });
      const { members: listed } = Object(await answer.json());
      if (Array.isArray(listed)) return listed;
    } catch {
      // The other may answer.
    }
  }
  return [];
}

async function listRoles(members: readonly Member[]): Promise<string[]> {
  return (await listMembers(members)).map(({ role }) => role);
}

async function isWhole(members: readonly Member[]): Promise<boolean> {
  const roles = await listRoles(members);
  return roles.includes("leader") && roles.includes("sync_standby");
}

async function callPatroni({ restPort }: Member, path: string, body: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${restPort}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

function readPostmasterId(folder: string): number {
  const [line = ""] = readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n");
  return Number(line);
}

function killPostgres(folder: string): void {
  if (!existsSync(join(folder, "data", "postmaster.pid"))) return;
  try {
    process.kill(readPostmasterId(folder), "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function spawnAsUser(program: string, args: readonly string[], logFile: string): ChildProcess {
  const log = openSync(logFile, "a");
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(program, [...args], {
    stdio: ["ignore", log, log],
    cwd: dirname(logFile),
    ...user,
  });
  closeSync(log);
  return child;
}

async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function untilTrue(look: () => Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + SETTLED_WITHIN_MS;
  while (!(await look())) {
    if (performance.now() > until) throw new Error(`not within ${SETTLED_WITHIN_MS} ms: ${what}`);
    await sleep(200);
  }
}
