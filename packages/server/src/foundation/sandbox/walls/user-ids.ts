import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";

export interface UserIdRange {
  readonly first: number;
  readonly count: number;
}

/** Between what systemd and container engines hand out and the highest uid that every file system stores. */
const DEFAULT_RANGE: UserIdRange = { first: 1_900_000_000, count: 1_048_576 };
/** Where only 65,536 ids are mapped, as in most containers with ids of their own: unused by convention. */
const SMALL_RANGE: UserIdRange = { first: 60_578, count: 606 };
const SLICE = 1024;
const SMALL_SLICE = 60;
/** Of each slice: for programs that are started by a script and not by this process. */
const SCRIPTED_SHARE = 0.25;

/** User ids that no other server process of this machine gives to its functions. */
export interface UserIds extends Disposable {
  /** Undefined when all are in use. */
  take(): number | undefined;
  /** It is given out again only when no process has it any more. */
  release(uid: number): void;
  /** Never taken: for scripts, which spread their processes over them. */
  readonly scripted: UserIdRange;
}

/** Throws with a reason where none of the range can be had. */
export async function claimUserIds(range: UserIdRange | undefined): Promise<UserIds> {
  const { slice, lock } = await claimSlice(range ?? chooseRange());
  const scriptedCount = Math.max(1, Math.floor(slice.count * SCRIPTED_SHARE));
  const ownCount = slice.count - scriptedCount;
  const own = Array.from({ length: ownCount }, (_, index) => slice.first + index);
  let fresh = withoutLiving(own);
  let used: number[] = own.filter((uid) => !fresh.includes(uid));
  return {
    scripted: { first: slice.first + ownCount, count: scriptedCount },
    take() {
      if (fresh.length === 0) {
        fresh = withoutLiving(used);
        const isFree = new Set(fresh);
        used = used.filter((uid) => !isFree.has(uid));
      }
      return fresh.shift();
    },
    release: (uid) => void used.push(uid),
    [Symbol.dispose]: () => void lock?.close(),
  };
}

interface Slice {
  readonly slice: UserIdRange;
  readonly lock: Server | undefined;
}

/** The system itself frees a lock's name when the process ends; nothing of it lies on a disk. */
async function claimSlice(range: UserIdRange): Promise<Slice> {
  const size = Math.min(range.count, range.count >= SLICE * 2 ? SLICE : SMALL_SLICE);
  const count = Math.floor(range.count / size);
  for (let tries = 0; tries < count; tries += 1) {
    // Neighbours in time begin apart, so that few meet.
    const first = range.first + ((process.pid + tries) % count) * size;
    const lock = await lockName(`\0jackfield-function-uids-${first}`);
    if (lock !== undefined) return { slice: { first, count: size }, lock };
  }
  // Holding all names, as any user could, does not make functions less isolated: this part may be shared.
  const first = range.first + randomInt(count) * size;
  return { slice: { first, count: size }, lock: undefined };
}

async function lockName(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  try {
    await once(server.listen({ path: name, exclusive: true }), "listening");
    return server;
  } catch {
    return undefined;
  }
}

function chooseRange(): UserIdRange {
  const mapped = readMapped();
  const isMapped = ({ first, count }: UserIdRange) =>
    mapped.some((map) => first >= map.first && first + count <= map.first + map.count);
  const found = [DEFAULT_RANGE, SMALL_RANGE].find(isMapped);
  if (found === undefined) throw new Error("this container has no user ids for functions");
  return found;
}

function readMapped(): UserIdRange[] {
  const lines = readFileSync("/proc/self/uid_map", "utf8").trim().split("\n");
  return lines.map((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return { first, count };
  });
}

function withoutLiving(uids: readonly number[]): number[] {
  const living = listLivingUserIds();
  return uids.filter((uid) => !living.has(uid));
}

function listLivingUserIds(): Set<number> {
  const living = new Set<number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    for (const uid of readUserIds(name)) living.add(uid);
  }
  return living;
}

function readUserIds(processId: string): number[] {
  try {
    const ids = /^Uid:\s+(.+)$/m.exec(readFileSync(`/proc/${processId}/status`, "utf8"))?.[1];
    return ids === undefined ? [] : ids.split(/\s+/).map(Number);
  } catch {
    return []; // it has just ended
  }
}
