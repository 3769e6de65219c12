import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Nginx extends AsyncDisposable {
  /** Unix socket that it listens on. */
  readonly path: string;
}

/** nginx as a reverse proxy, as operators put it in front. */
export async function startNginx(command: string, upstreamUrl: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-nginx-"));
  const path = join(folder, "socket");
  const config = join(folder, "nginx.conf");
  await writeFile(config, toConfig(folder, path, new URL(upstreamUrl).host));
  const child = spawn(command, ["-p", folder, "-c", config, "-e", "stderr"], { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (!(await isListening(path))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with code ${child.exitCode}`);
    await sleep(20);
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  return await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

function toConfig(folder: string, path: string, upstream: string): string {
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
  ${temporary}
  upstream platform { server ${upstream}; keepalive 4; }
  server {
    listen unix:${path};
    location / {
      proxy_pass http://platform;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }
}
`;
}
