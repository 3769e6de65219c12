import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A bare server in a process of its own, so that it takes no time from the load. */
export async function startChildServer(
  file: string,
  args: readonly string[],
): Promise<AsyncDisposable & { url: string; processId: number }> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve) => {
    child.stdout.once("data", (line: Buffer) => resolve(line.toString().trim()));
  });
  return {
    url,
    processId: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}
