import { createHash } from "node:crypto";
import { CallError } from "#foundation/sandbox";
import { digestOf } from "#mcp";
import type { AskedAddress, RunCaller, RunChange } from "#slice";
import { type ShownRequest, toShownRequest } from "./shown-request.ts";

type Hide = <Value>(value: Value) => Value;

/** Passes everything on to who calls, where somebody does. */
abstract class PassingCaller implements RunCaller {
  readonly #caller: RunCaller | undefined;

  constructor(caller: RunCaller | undefined) {
    this.#caller = caller;
  }

  get isAsking(): boolean {
    return this.#caller?.isAsking === true;
  }

  get keptId(): string | undefined {
    return this.#caller?.keptId;
  }

  keep(id: string): void {
    this.#caller?.keep?.(id);
  }

  openAddress(asked: AskedAddress): ReturnType<RunCaller["elicit"]> {
    if (this.#caller?.openAddress !== undefined) return this.#caller.openAddress(asked);
    throw nobodyThere();
  }

  abstract admitChange(change: RunChange, hide: Hide): Promise<void>;

  protected async passChange(change: RunChange, hide: Hide): Promise<void> {
    await this.#caller?.admitChange?.(change, hide);
  }

  reportProgress(progress: Parameters<RunCaller["reportProgress"]>[0]): void {
    this.#caller?.reportProgress(progress);
  }

  elicit(question: Parameters<RunCaller["elicit"]>[0]): ReturnType<RunCaller["elicit"]> {
    if (this.#caller !== undefined) return this.#caller.elicit(question);
    throw nobodyThere();
  }
}

function nobodyThere(): CallError {
  return new CallError({
    type: "elicitation_unavailable",
    message: "Nobody can be asked while this runs.",
  });
}

/** Stops at the first change, which it keeps: what was read before is real, and nothing is sent after it. */
export class PreviewCaller extends PassingCaller {
  first: { readonly digest: Buffer; readonly request: ShownRequest } | undefined;

  override get isAsking(): boolean {
    return super.isAsking || this.first !== undefined;
  }

  override async admitChange(change: RunChange, hide: Hide): Promise<void> {
    this.first ??= { digest: digestChange(change), request: toShownRequest(change, hide) };
    throw new CallError({
      type: "approval_required",
      message: "A person has to approve this call before it changes anything.",
    });
  }
}

/** Lets the change pass that was approved, and what follows from it; none where the first is another. */
export class ApprovedCaller extends PassingCaller {
  readonly #approved: Buffer;
  #hasBegun = false;
  isStale = false;

  constructor(caller: RunCaller | undefined, approved: Buffer) {
    super(caller);
    this.#approved = approved;
  }

  override async admitChange(change: RunChange, hide: Hide): Promise<void> {
    if (!this.#hasBegun && !digestChange(change).equals(this.#approved)) this.isStale = true;
    if (this.isStale) {
      throw new CallError({
        type: "approval_stale",
        message: "The call would send a different request from the one that was approved.",
      });
    }
    await this.passChange(change, hide);
    this.#hasBegun = true;
  }
}

function digestChange({ method, params, body }: RunChange): Buffer {
  return digestOf([method, params, createHash("sha256").update(body).digest("hex")]);
}
