import { setTimeout as sleep } from "node:timers/promises";
import { type Program, startProgram } from "../start-program.ts";

const STATS = "/balancer-stats";

/** Resolves when HAProxy sends requests to all of its servers. */
export async function untilAllUsed({ port }: Pick<Program, "port">): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}${STATS};csv`);
    const servers = (await answer.text()).split("\n").filter((line) => /^behind,s\d+,/.test(line));
    if (servers.every((line) => line.includes(",UP,"))) return;
    await sleep(100);
  }
}

/** HAProxy before several processes, each of which it asks every 200 ms whether it is ready. */
export async function startHaproxy(command: string, urls: readonly string[]): Promise<Program> {
  const servers = urls.map((url, at) => `  server s${at} ${new URL(url).host} check inter 200ms`);
  return await startProgram({
    command,
    config: ({ port }) => `global
  maxconn 500
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  # One that is slow to answer on a busy machine is not down.
  timeout check 5s
  option redispatch
frontend in
  bind 127.0.0.1:${port}
  stats uri ${STATS}
  default_backend behind
backend behind
  option httpchk GET /ready
  http-check expect status 200
  default-server fall 2 rise 1
${servers.join("\n")}
`,
    args: ({ file }) => ["-db", "-f", file],
    stopSignal: "SIGKILL",
  });
}
