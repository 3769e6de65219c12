import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

const LINUX_INTERVAL_MS = 400;
const OTHER_INTERVAL_MS = 1000;
const PAGE_BYTES = 4096;

/**
 * Samples the resident memory of a process and of those below it, and reports the first excess. The kernel's limit,
 * where there is one, leaves out memory that processes share.
 */
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
    const [statm, children] = await Promise.all([
      readFile(`/proc/${pid}/statm`, "utf8"),
      readFile(`/proc/${pid}/task/${pid}/children`, "utf8"),
    ]);
    const below = children.split(" ").filter((text) => text !== "");
    const sizes = await Promise.all(below.map((text) => readLinux(Number(text))));
    return sizes.reduce((sum, size) => sum + size, Number(statm.split(" ")[1]) * PAGE_BYTES);
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
