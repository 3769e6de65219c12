// A thread of `decryptMany`. It loads nothing but the cipher, so that it costs little memory.
import { parentPort } from "node:worker_threads";
import { type DecryptJob, runJob } from "./sealed-texts.ts";

parentPort?.on("message", (job: DecryptJob) => {
  try {
    const plain = runJob(job);
    parentPort?.postMessage(plain, [plain.buffer]);
  } catch {
    // The caller tries it again, and meets the fault itself.
    parentPort?.postMessage(undefined);
  }
});
