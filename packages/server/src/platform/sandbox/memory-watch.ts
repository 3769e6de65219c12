import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

const LINUX_INTERVAL_MS = 200;
const OTHER_INTERVAL_MS = 1000;
const PAGE_BYTES = 4096;

/** Where the kernel sets no limit: samples a process's resident memory and reports the first excess. */
export function watchMemory(pid: number, limitBytes: number, onExcess: () => void): () => void {
  const isLinux = process.platform === "linux";
  if (process.platform === "win32") return () => {};
  const read = isLinux ? readLinux : readByCommand;
  let isReading = false;
  const sample = async () => {
    if (isReading) return;
    isReading = true;
    const bytes = await read(pid);
    isReading = false;
    if (bytes > limitBytes) onExcess();
  };
  const timer = setInterval(() => void sample(), isLinux ? LINUX_INTERVAL_MS : OTHER_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function readLinux(pid: number): Promise<number> {
  try {
    return Number((await readFile(`/proc/${pid}/statm`, "utf8")).split(" ")[1]) * PAGE_BYTES;
  } catch {
    return 0; // the process has just ended
  }
}

function readByCommand(pid: number): Promise<number> {
  return new Promise((resolve) => {
    execFile("/bin/ps", ["-o", "rss=", "-p", String(pid)], (error, stdout) => {
      resolve(error === null ? Number(stdout) * 1024 : 0);
    });
  });
}
