import { type Program, startProgram } from "../start-program.ts";

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
  option redispatch
frontend in
  bind 127.0.0.1:${port}
  default_backend behind
backend behind
  option httpchk GET /ready
  http-check expect status 200
  default-server fall 1 rise 1
${servers.join("\n")}
`,
    args: ({ file }) => ["-db", "-f", file],
    stopSignal: "SIGKILL",
  });
}
