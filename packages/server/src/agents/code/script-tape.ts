import type { ScriptCall } from "@jackfield/contract/script";
import { scriptLimits } from "@jackfield/contract/script-limits";
import { type EnvironmentContext, messageOf, within } from "#foundation";
import { type Call, type CallAnswer, CallError } from "#foundation/sandbox";
import { digestOf, type ToolFailure } from "#mcp";
import { open, seal } from "#vault";
import { type Script, TAPE_BYTES, type TapedCall, tapeAad } from "./script.ts";
import { ScriptCaller } from "./script-caller.ts";
import { beginCall, noteChange, tapeAnswer } from "./store.ts";

/** How a call was answered: JSON text of its output, or a failure. */
export type Answered = { readonly output: Uint8Array } | { readonly failure: ToolFailure };

/** What has to be done before the script can continue. */
export interface Need {
  readonly tool: string;
  readonly failure: ToolFailure;
}

/** Why no further call is made. */
export type Stop =
  | { readonly kind: "waiting"; readonly needs: readonly Need[] }
  /** Another attempt runs it, or its session or its client has gone. */
  | { readonly kind: "lost" }
  | {
      readonly kind: "failed";
      readonly code: "script_limit" | "script_error";
      readonly message: string;
    };

interface Work {
  /** Makes a call; `position` is its place on the tape. */
  readonly call: (asked: ScriptCall, input: unknown, caller: ScriptCaller) => Promise<Answered>;
  /** Whether a call may be made again of which nobody knows what it did. */
  readonly mayRepeat: (asked: ScriptCall) => Promise<boolean>;
}

interface Taped {
  readonly answered: Answered;
  readonly order: number;
  readonly at: Date;
}

/** A script waits for a person to do what these say. */
const needed: ReadonlySet<string> = new Set(["approval_required", "authorization_required"]);

const outcomeUnknown: ToolFailure = {
  ...{ code: "outcome_unknown", message: "The call was interrupted; it may have taken effect." },
  next: "Look whether it has before you call again.",
};

/** After the script has ended: calls that are still under way are not waited for any longer. */
const LEAVE_MS = 30_000;
const LONGEST_MESSAGE = 1000;
const MIB = 1024 * 1024;

/**
 * Answers the calls of one attempt to run a script: those that an earlier attempt was answered from the tape, in the
 * order in which they were answered then, and the others by making them. A script that gets the same answers in the
 * same order does the same, so nothing is sent twice.
 */
export class ScriptTape {
  readonly #ctx: EnvironmentContext;
  readonly #script: Script;
  readonly #work: Work;
  readonly #taped: ReadonlyMap<number, TapedCall>;
  readonly #abort = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** By the order of their answers. */
  readonly #waitingByOrder = new Map<number, () => void>();
  #writing: Promise<unknown> = Promise.resolve();
  #asked = 0;
  #order: number;
  #answered = 0;
  #delivered = 0;
  readonly #needs: Need[] = [];
  #stop: Stop | undefined;
  /** Calls that this attempt has made. */
  made = 0;

  constructor(
    ctx: EnvironmentContext,
    { script, taped, work }: { script: Script; taped: readonly TapedCall[]; work: Work },
  ) {
    this.#ctx = ctx;
    this.#script = script;
    this.#work = work;
    this.#taped = new Map(taped.map((call) => [call.position, call]));
    this.#order = taped.filter(({ answer }) => answer !== undefined).length;
  }

  /** Ends the script's process. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  get asked(): number {
    return this.#asked;
  }

  /** Makes no further call and ends the process; calls under way end and are taped. */
  end(stop: Stop): void {
    this.#stop ??= stop;
    this.close();
  }

  /** Of a script that has ended by itself. */
  close(): void {
    this.#abort.abort();
    this.#ended.resolve();
  }

  /** Resolves when no call is under way any more. */
  async rest(): Promise<void> {
    const all = async () => {
      while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
      await this.#writing;
    };
    await within(LEAVE_MS, all());
  }

  /** A call of the script's process, which may say anything. */
  async onCall({ params, body }: Call): Promise<CallAnswer> {
    // The sandbox has checked it.
    const asked = params as ScriptCall;
    const input = this.#readCall(asked, body);
    if (this.#stop !== undefined) return await this.#leaveUnanswered();
    const digest = digestOf([asked.integration, asked.tool, asked.account ?? null, input ?? null]);
    const earlier = this.#taped.get(asked.index);
    if (earlier !== undefined && !earlier.digest.equals(digest)) {
      const message = "The script did not repeat its earlier calls; start a new one.";
      this.end({ kind: "failed", code: "script_error", message });
      return await this.#leaveUnanswered();
    }
    if (earlier?.answer !== undefined) return await this.#replay(earlier.position, earlier.answer);
    const making = this.#make(asked, { input, digest, earlier });
    this.#underWay.add(making);
    try {
      const taped = await making;
      this.#underWay.delete(making);
      this.#stopIfWaiting();
      return taped === undefined ? await this.#leaveUnanswered() : await this.#deliver(taped);
    } catch (error) {
      this.#underWay.delete(making);
      if (error instanceof CallError) throw error;
      this.#ctx.log.warn("agents.script_call_failed", { reason: messageOf(error) });
      this.end({ kind: "lost" });
      return await this.#leaveUnanswered();
    }
  }

  #readCall({ index }: ScriptCall, body: Uint8Array): unknown {
    const isNext = index === this.#asked;
    const isWithin =
      index < scriptLimits.calls && index - this.#answered < scriptLimits.callsAtOnce;
    this.#asked += 1;
    try {
      if (isNext && isWithin) return JSON.parse(Buffer.from(body).toString());
    } catch {
      // As one that is out of order: the program around a script makes no such call.
    }
    this.end({
      kind: "failed",
      code: "script_limit",
      message: "The script made calls out of order.",
    });
    return undefined;
  }

  async #replay(position: number, answer: NonNullable<TapedCall["answer"]>): Promise<CallAnswer> {
    const sealed = await open(this.#ctx, tapeAad(this.#ctx, this.#script, position), answer.sealed);
    return await this.#deliver({ ...answer, answered: fromBytes(sealed) });
  }

  /** Undefined for one that the script does not hear of, since it ends here. */
  async #make(
    asked: ScriptCall,
    { input, digest, earlier }: { input: unknown; digest: Buffer; earlier: TapedCall | undefined },
  ): Promise<Taped | undefined> {
    const { db, environment } = this.#ctx;
    const position = asked.index;
    const isUnknown = earlier?.hasChanged === true && !(await this.#work.mayRepeat(asked));
    if (isUnknown) return await this.#tape(position, { failure: outcomeUnknown });
    if (this.#needs.length > 0) return undefined;
    if (!(await beginCall(db, environment.id, this.#script, { position, digest }))) {
      this.end({ kind: "lost" });
      return undefined;
    }
    let hasChanged = earlier?.hasChanged === true;
    const caller = new ScriptCaller(async () => {
      const isOwn = await noteChange(db, environment.id, this.#script, position);
      hasChanged = true;
      if (!isOwn) this.end({ kind: "lost" });
      return isOwn;
    });
    this.made += 1;
    const answered = await this.#work.call(asked, input, caller);
    if (!hasChanged && "failure" in answered && needed.has(answered.failure.code)) {
      this.#needs.push({ tool: `${asked.integration}.${asked.tool}`, failure: answered.failure });
      return undefined;
    }
    return await this.#tape(position, answered);
  }

  /** One after the other: the order on the tape is that in which the script hears of them. */
  async #tape(position: number, answered: Answered): Promise<Taped | undefined> {
    const { db, environment } = this.#ctx;
    const write = async () => {
      const at = this.#ctx.clock.now();
      const aad = tapeAad(this.#ctx, this.#script, position);
      const sealed = await seal(this.#ctx, aad, ...toBytes(answered));
      const order = this.#order;
      const written = await tapeAnswer(db, environment.id, this.#script, {
        ...{ position, order, at, sealed, room: TAPE_BYTES },
      });
      if (written === "taped") this.#order += 1;
      return { written, order, at };
    };
    const writing = this.#writing.then(write);
    this.#writing = writing.catch(() => undefined);
    const { written, order, at } = await writing;
    if (written === "taped") return { answered, order, at };
    const message = `The answers of a script's calls may take ${TAPE_BYTES / MIB} MiB together: read less, or in several scripts.`;
    this.end(
      written === "lost" ? { kind: "lost" } : { kind: "failed", code: "script_limit", message },
    );
    return undefined;
  }

  async #deliver({ answered, order, at }: Taped): Promise<CallAnswer> {
    if (this.#delivered < order) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waitingByOrder.set(order, resolve);
      await promise;
    }
    // While it waits for somebody, what it would do next is not begun.
    if (this.#needs.length > 0) return await this.#leaveUnanswered();
    this.#answered += 1;
    setImmediate(() => {
      this.#delivered = order + 1;
      this.#waitingByOrder.get(order + 1)?.();
      this.#waitingByOrder.delete(order + 1);
    });
    const atMs = at.getTime();
    if ("output" in answered) return { value: { atMs }, body: answered.output };
    const { code, message } = answered.failure;
    throw new CallError({
      ...{ type: code, message: message.slice(0, LONGEST_MESSAGE) },
      payload: { ...answered.failure, at_ms: atMs },
    });
  }

  /** The script's process is about to end, and hears of it until then. */
  async #leaveUnanswered(): Promise<never> {
    await this.#ended.promise;
    throw new CallError({ type: "script_aborted", message: "The script ends here." });
  }

  /** Once what is under way has ended: the rest waits for a person. */
  #stopIfWaiting(): void {
    if (this.#needs.length === 0 || this.#underWay.size > 0) return;
    this.end({ kind: "waiting", needs: this.#needs });
  }
}

const OUTPUT = Buffer.of(0);
const FAILURE = Buffer.of(1);

function toBytes(answered: Answered): Uint8Array[] {
  return "output" in answered
    ? [OUTPUT, answered.output]
    : [FAILURE, Buffer.from(JSON.stringify(answered.failure))];
}

function fromBytes(bytes: Buffer): Answered {
  const rest = bytes.subarray(1);
  return bytes[0] === 0 ? { output: rest } : { failure: JSON.parse(rest.toString()) };
}
