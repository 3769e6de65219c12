import { type Program, startProgram } from "../start-program.ts";

export interface NginxOptions {
  readonly command: string;
  readonly upstreamUrls: readonly string[];
  /** Lines for the place that passes requests on. */
  readonly lines: readonly string[];
}

/** nginx as a reverse proxy with one worker, as operators put it in front. */
export async function startNginx({ command, ...options }: NginxOptions): Promise<Program> {
  return await startProgram({
    command,
    config: ({ folder, port }) => toConfig(folder, port, options),
    args: ({ folder, file }) => ["-p", folder, "-c", file, "-e", "stderr"],
  });
}

function toConfig(
  folder: string,
  port: number,
  { upstreamUrls, lines }: Omit<NginxOptions, "command">,
): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n  ");
  const servers = upstreamUrls.map((url) => `server ${new URL(url).host} max_fails=0;`);
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
  upstream behind { ${servers.join(" ")} keepalive 64; }
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
