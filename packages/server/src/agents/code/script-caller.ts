import { CallError } from "#foundation/sandbox";
import type { RunCaller } from "#slice";

/** Who calls a tool within a script: nobody can be asked there, and what changes something is noted before it is sent. */
export class ScriptCaller implements RunCaller {
  readonly isAsking = false;
  readonly #onChange: () => Promise<boolean>;
  #hasChanged = false;

  constructor(onChange: () => Promise<boolean>) {
    this.#onChange = onChange;
  }

  async admitChange(): Promise<void> {
    if (this.#hasChanged) return;
    if (!(await this.#onChange())) {
      throw new CallError({
        type: "script_aborted",
        message: "The script has ended, or is run by another process.",
      });
    }
    this.#hasChanged = true;
  }

  reportProgress(): void {}

  elicit(): undefined {
    throw new CallError({
      type: "elicitation_unavailable",
      message: "Nobody can be asked while a script runs: call the tool by itself.",
    });
  }
}
