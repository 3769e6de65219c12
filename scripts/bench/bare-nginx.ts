import { spawn } from "node:child_process";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** nginx as a reverse proxy with one worker; undefined where it is not installed. */
export async function startNginx(
  upstream: string,
): Promise<(AsyncDisposable & { url: string; processId: number }) | undefined> {
  const command = "/usr/sbin/nginx";
  if (
    !(await access(command).then(
      () => true,
      () => false,
    ))
  )
    return undefined;
  const folder = await mkdtemp(join(tmpdir(), "jackfield-bench-nginx-"));
  const port = await findFreePort();
  await writeFile(join(folder, "nginx.conf"), toConfig(folder, port, new URL(upstream).host));
  const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"];
  const child = spawn(command, args, { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries += 1) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      break;
    await sleep(50);
  }
  return {
    url,
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

function toConfig(folder: string, port: number, upstream: string): string {
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
  proxy_max_temp_file_size 0;
  keepalive_requests 1000000;
  ${temporary}
  upstream provider { server ${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Authorization "Bearer x";
      proxy_request_buffering off;
    }
  }
}
`;
}
