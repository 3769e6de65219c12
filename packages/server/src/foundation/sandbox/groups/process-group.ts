import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const REMOVING_TRIES = 40;
const REMOVING_PAUSE_MS = 50;

/** By the name of a file of cgroup v2: what is written to it. */
export type GroupLimits = Readonly<Record<string, string>>;

/** Moves the shell into the group and becomes the command, so that nothing of it is ever outside. */
const ENTER = `echo $$ >"$0" && exec "$@"`;

/** A group of cgroup v2 for one process and all that it starts; throws where it cannot be made or limited. */
export class ProcessGroup {
  readonly folder: string;

  /** `wished` are limits that not every system knows. */
  constructor(folder: string, limits: GroupLimits, wished: GroupLimits = {}) {
    this.folder = folder;
    mkdirSync(folder);
    try {
      for (const [file, text] of Object.entries(limits)) writeFileSync(join(folder, file), text);
      for (const [file, text] of Object.entries(wished)) tryWriting(join(folder, file), text);
    } catch (error) {
      rmdirSync(folder);
      throw error;
    }
  }

  /** What precedes a command on its command line, so that it starts in the group. */
  get enter(): string[] {
    return ["/bin/sh", "-c", ENTER, join(this.folder, "cgroup.procs")];
  }

  /** Ends what is left in it and removes it; what does not go within 2 s is left for the next start. */
  async remove(): Promise<void> {
    for (let tries = 0; tries < REMOVING_TRIES; tries += 1) {
      try {
        rmdirSync(this.folder);
        return;
      } catch {
        // Before Linux 5.14 there is no such file; then it is waited for alone.
        tryWriting(join(this.folder, "cgroup.kill"), "1");
      }
      await sleep(REMOVING_PAUSE_MS, undefined, { ref: false });
    }
  }
}

function tryWriting(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "r+" });
  } catch {
    // The group is gone, or its system does not know the file.
  }
}
