import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server of the system's packages, started for a test. */
export interface Program extends AsyncDisposable {
  /** Port of loopback that it listens on. */
  readonly port: number;
  readonly processId: number;
}

export interface ProgramOptions {
  readonly command: string;
  /** The text of its configuration, for a port and a folder of its own. */
  readonly config: (place: { readonly folder: string; readonly port: number }) => string;
  /** Arguments, for the file with the configuration. */
  readonly args: (place: { readonly folder: string; readonly file: string }) => readonly string[];
  /** Runs it as another user, where the tests run as root. */
  readonly userId?: number;
  readonly stopSignal?: NodeJS.Signals;
}

/** Starts it on a free port and waits until it listens; throws when it ends before. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { command, userId, stopSignal } = options;
  const folder = await mkdtemp(join(tmpdir(), "jackfield-program-"));
  await chmod(folder, 0o755);
  const file = join(folder, "config");
  const port = await findFreePort();
  await writeFile(file, options.config({ folder, port }));
  const asOther = userId === undefined || process.getuid?.() !== 0 ? {} : { uid: userId };
  const child = spawn(command, options.args({ folder, file }), { stdio: "ignore", ...asOther });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${command} ended with code ${child.exitCode}`);
    await sleep(20);
  }
  return {
    port,
    processId: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill(stopSignal);
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port of loopback on which nobody listened a moment ago. */
export async function findFreePort(): Promise<number> {
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
