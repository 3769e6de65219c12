import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestContext } from "vitest";
import { findFreePort } from "../connect-ui/reverse-proxy.ts";
import { vendorCertificate } from "../providers/vendor-certificate.ts";
import { requireTool, type Tool } from "../require-tool.ts";

/** A file of `deploy/proxies/`. */
export type ProxyFile = "nginx.conf" | "nginx-sub-path.conf" | "haproxy.cfg" | "Caddyfile";

export interface ProxyUnderTest extends AsyncDisposable {
  /** Port of loopback, with TLS and `vendorCertificate`. */
  readonly port: number;
}

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly target: string;
}

/** Starts the real program with the file that operators are given; only addresses and certificates are the test's. */
export async function startReverseProxy(
  t: TestContext,
  file: ProxyFile,
  target: string,
): Promise<ProxyUnderTest> {
  const program = requireTool(toProgram(file), t);
  const folder = await mkdtemp(join(tmpdir(), "jackfield-proxy-"));
  const place: Place = { folder, port: await findFreePort(), target: new URL(target).host };
  await writeCertificate(folder);
  const given = await readFile(new URL(`../../deploy/proxies/${file}`, import.meta.url), "utf8");
  const config = join(folder, file);
  await writeFile(config, adapt(file, given, place));
  const child = spawn(program, toArguments(file, config, folder), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (!(await isListening(place.port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    await sleep(20);
  }
  return {
    port: place.port,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function toProgram(file: ProxyFile): Tool {
  if (file.startsWith("nginx")) return "nginx";
  return file === "Caddyfile" ? "caddy" : "haproxy";
}

function toArguments(file: ProxyFile, config: string, folder: string): string[] {
  if (file === "Caddyfile") return ["run", "--config", config, "--adapter", "caddyfile"];
  if (file === "haproxy.cfg") return ["-db", "-f", config];
  return ["-p", folder, "-c", config, "-e", "stderr"];
}

async function writeCertificate(folder: string): Promise<void> {
  const { certificate, key } = vendorCertificate;
  await writeFile(join(folder, "certificate.pem"), certificate);
  await writeFile(join(folder, "key.pem"), key);
  await writeFile(join(folder, "both.pem"), certificate + key);
}

function adapt(file: ProxyFile, given: string, { folder, port, target }: Place): string {
  const text = given
    .replaceAll("/etc/ssl/jackfield", folder)
    .replaceAll("127.0.0.1:3003", target)
    .replaceAll("127.0.0.1:3004", target);
  if (file === "haproxy.cfg") return text.replace("bind :443", `bind 127.0.0.1:${port}`);
  if (file === "Caddyfile") {
    const certificate = `tls ${folder}/certificate.pem ${folder}/key.pem`;
    const site = `{\n\tadmin off\n\tauto_https off\n}\nhttps://:${port} {\n\tbind 127.0.0.1\n\t${certificate}`;
    return text.replace("jackfield.example.com {", site);
  }
  const server = text.replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const http = `access_log off;\n${paths}\n${server}`;
  return `daemon off;\nworker_processes 1;\nerror_log stderr;\npid ${folder}/pid;\nevents {}\nhttp {\n${http}\n}\n`;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}
