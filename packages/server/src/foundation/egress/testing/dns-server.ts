import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { LookupFunction } from "node:net";

/** What a name answers: addresses of either family, another name, or a failure. */
export type Answer = readonly string[] | { readonly cname: string } | "servfail" | "nxdomain";

/** A resolver of the test's own: a DNS server on loopback, and a lookup that asks it and keeps nothing. */
export interface TestResolver extends AsyncDisposable {
  readonly lookup: LookupFunction;
  /** Names that were asked for, in order; each lookup asks for A and AAAA. */
  readonly asked: string[];
  /** Sets what a name answers; of several, the lookups take them in turn, and the last one stays. */
  set(name: string, ...answers: readonly Answer[]): void;
}

export async function startTestResolver(): Promise<TestResolver> {
  const zone = new Map<string, readonly Answer[]>();
  const turns = new Map<string, number>();
  const asked: string[] = [];
  const socket = createSocket("udp4");
  const findAnswer = (name: string, family: 4 | 6): Answer => {
    const answers = zone.get(name) ?? ["nxdomain"];
    // The two questions of a lookup take the same turn, also where lookups overlap.
    const turn = turns.get(`${name} ${family}`) ?? 0;
    turns.set(`${name} ${family}`, turn + 1);
    return answers[Math.min(turn, answers.length - 1)] ?? "nxdomain";
  };
  socket.on("message", (query, { port, address }) => {
    const { name, family } = readQuestion(query);
    if (family === 4) asked.push(name);
    socket.send(writeAnswer(query, name, family, findAnswer), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const resolveBoth = async (name: string) => {
    let code = "ENOTFOUND";
    const none = (error: NodeJS.ErrnoException): string[] => {
      code = error.code ?? code;
      return [];
    };
    const four = await resolver.resolve4(name).catch(none);
    const six = await resolver.resolve6(name).catch(none);
    const found = [
      ...six.map((address) => ({ address, family: 6 })),
      ...four.map((address) => ({ address, family: 4 })),
    ];
    if (found.length === 0) throw Object.assign(new Error(`${name}: ${code}`), { code });
    return found;
  };
  return {
    asked,
    set: (name, ...answers) => {
      zone.set(name, answers);
      turns.delete(`${name} 4`);
      turns.delete(`${name} 6`);
    },
    lookup: (hostname, _options, callback) => {
      resolveBoth(hostname.replace(/\.$/, "").toLowerCase()).then(
        (found) => callback(null, found),
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
    },
    async [Symbol.asyncDispose]() {
      resolver.cancel();
      socket.close();
      await once(socket, "close");
    },
  };
}

function readQuestion(query: Buffer): { name: string; family: 4 | 6 } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join(".").toLowerCase(),
    family: query.readUInt16BE(at + 1) === 28 ? 6 : 4,
  };
}

const MAX_CHAIN = 16;

function writeAnswer(
  query: Buffer,
  name: string,
  family: 4 | 6,
  findAnswer: (name: string, family: 4 | 6) => Answer,
): Buffer {
  const records: Buffer[] = [];
  let owner = name;
  let answer = findAnswer(owner, family);
  while (typeof answer === "object" && "cname" in answer && records.length < MAX_CHAIN) {
    records.push(toRecord(owner, 5, toName(answer.cname)));
    owner = answer.cname;
    answer = findAnswer(owner, family);
  }
  const code = answer === "servfail" ? 2 : answer === "nxdomain" ? 3 : 0;
  for (const address of Array.isArray(answer) ? answer : []) {
    const bytes = toBytes(String(address));
    if (bytes.length === (family === 6 ? 16 : 4)) {
      records.push(toRecord(owner, family === 6 ? 28 : 1, bytes));
    }
  }
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8580 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  const question = query.subarray(12, 12 + toName(name).length + 4);
  return Buffer.concat([head, question, ...records]);
}

/** One resource record with a time to live of 0. */
function toRecord(owner: string, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([toName(owner), head, data]);
}

function toName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function toBytes(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = toGroups(address).split("::");
  const start = head.split(":").filter((group) => group !== "");
  const end = (tail ?? "").split(":").filter((group) => group !== "");
  const zeros = tail === undefined ? 0 : 8 - start.length - end.length;
  const groups = [...start, ...Array.from({ length: zeros }, () => "0"), ...end];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** A form that ends in an IPv4 address, written in groups. */
function toGroups(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a, b, c, d] = parts
      .slice(0, 4)
      .map((part) => Number(part).toString(16).padStart(2, "0"));
    return `${a}${b}:${c}${d}`;
  });
}
