import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Nginx extends AsyncDisposable {
  /** Port of loopback that it listens on. */
  readonly port: number;
  readonly processId: number;
}

export interface NginxOptions {
  readonly command: string;
  readonly upstreamUrl: string;
  /** Lines for the place that passes requests on. */
  readonly lines: readonly string[];
}

/** nginx as a reverse proxy with one worker, as operators put it in front. */
export async function startNginx({ command, ...options }: NginxOptions): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-nginx-"));
  const port = await findFreePort();
  const config = join(folder, "nginx.conf");
  await writeFile(config, toConfig(folder, port, options));
  const child = spawn(command, ["-p", folder, "-c", config, "-e", "stderr"], { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with code ${child.exitCode}`);
    await sleep(20);
  }
  return {
    port,
    processId: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

function toConfig(
  folder: string,
  port: number,
  { upstreamUrl, lines }: Omit<NginxOptions, "command">,
): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n  ");
  return `daemon off;
worker_processes 1;
error_log /dev/null;
pid ${folder}/pid;
events {}
http {
  access_log off;
  client_max_body_size 0;
  keepalive_requests 1000000;
  ${temporary}
  upstream behind { server ${new URL(upstreamUrl).host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://behind;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_max_temp_file_size 0;
      proxy_request_buffering off;
      ${lines.join("\n      ")}
    }
  }
}
`;
}
