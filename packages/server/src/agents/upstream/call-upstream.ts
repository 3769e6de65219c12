import {
  type ElicitRequestURLParams,
  isInputRequiredResult,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import type { EnvironmentContext } from "#foundation";
import { getIntegration } from "#integrations";
import { keepForCall, takeKept } from "#mcp";
import { RefusedCall } from "../sources/refused-call.ts";
import type { ToolRun } from "../sources/tool-source.ts";
import { explainUpstream } from "./calling/explain-upstream.ts";
import { parkedCalls } from "./calling/parked-calls.ts";
import { type Answer, type PassedOn, passOn } from "./calling/questions.ts";
import { RunningCall, type Step } from "./calling/running-call.ts";
import { toOutput } from "./calling/to-output.ts";
import type { Refusal, UpstreamServer } from "./client/door.ts";
import { withClient } from "./client/with-client.ts";
import { expireLists } from "./lists/store.ts";
import { findUpstream } from "./refresh-tools.ts";
import { READ_RESOURCE, type UpstreamVersion } from "./upstream.ts";

/** A question may be followed by another; a server that asks on and on is not asked further. */
const MOST_STEPS = 10;

type Question = Exclude<PassedOn, { kind: "refused" }> & {
  /** As the server calls it. */
  readonly theirKey: string;
};

/** What is kept while the user answers. */
const keptSchema = z.object({
  /** The server's own state, which it gets back as it was. */
  requestState: z.string().optional(),
  questions: z.array(z.custom<Question>()),
  /** The call itself waits in the process that made it. */
  isParked: z.boolean(),
});
type Kept = z.output<typeof keptSchema>;

/**
 * Calls a tool of another MCP server for an account: after its approval where it needs one, with the credentials of the
 * connection and nothing of the agent's but the arguments. Throws a RefusedCall or an AppError.
 */
export async function callUpstream(
  ctx: EnvironmentContext,
  version: UpstreamVersion,
  run: ToolRun,
): Promise<Uint8Array> {
  const integration = await getIntegration(ctx, run.integrationKey);
  const server = findUpstream({ integration, connection: run.connection });
  if (server?.url.href !== version.serverUrl) throw new RefusedCall(elsewhere());
  const call = new UpstreamCall(ctx, { server, version, run });
  try {
    return await call.finish();
  } catch (error) {
    throw explainUpstream(error, { integration: run.integrationKey, refusal: call.refusal });
  }
}

interface Of {
  readonly server: UpstreamServer;
  readonly version: UpstreamVersion;
  readonly run: ToolRun;
}

class UpstreamCall {
  readonly #ctx: EnvironmentContext;
  readonly #of: Of;
  readonly #owner: string;
  refusal: Refusal | undefined;

  constructor(ctx: EnvironmentContext, of: Of) {
    this.#ctx = ctx;
    this.#of = of;
    this.#owner = `session ${of.run.sessionId}`;
  }

  async finish(): Promise<Uint8Array> {
    const begun = await this.#begin();
    let { running } = begun;
    for (let count = 0; count < MOST_STEPS; count += 1) {
      const step = await this.#next(running);
      if (step.kind === "asked") {
        const question = await this.#pass({
          key: "asked",
          method: "elicitation/create",
          params: step.asked,
        });
        const answer = this.#ask(question);
        if (answer === undefined) return await this.#park(running, step, question);
        step.answer(answer);
        continue;
      }
      if (!isInputRequiredResult(step.result)) return toOutput(step.result);
      const { inputRequests = {}, requestState } = step.result;
      const questions = await Promise.all(
        Object.entries(inputRequests).map(async ([key, { method, params }]) =>
          this.#pass({ key, method, params }),
        ),
      );
      const kept = { requestState, questions, isParked: false };
      const responses = this.#answer(kept);
      if (responses === undefined) return await this.#keep(kept);
      running = this.#send({ requestState, inputResponses: responses });
    }
    running.end();
    throw new RefusedCall(askedTooOften());
  }

  async #next(running: RunningCall): Promise<Step> {
    try {
      return await running.next(this.#ctx.signal);
    } catch (error) {
      // Revision 2025-11-25 refuses a call with the addresses that have to be opened first.
      if (!(error instanceof UrlElicitationRequiredError)) throw error;
      const [first] = error.elicitations;
      throw await this.#explainAddress(first);
    }
  }

  async #explainAddress(asked: ElicitRequestURLParams | undefined): Promise<RefusedCall> {
    const params = { ...asked, mode: "url" };
    const question = await this.#pass({ key: "open", method: "elicitation/create", params });
    if (question.kind !== "address") return new RefusedCall(askedTooOften());
    return new RefusedCall(toOpen(question.address));
  }

  /** The call from its beginning, or from where its user was asked. */
  async #begin(): Promise<{ running: RunningCall }> {
    const { caller, input } = this.#of.run;
    const { keptId } = caller ?? {};
    if (keptId === undefined) {
      const { server, version } = this.#of;
      const params = { method: "POST", url: server.url.href, tool: version.name };
      const body = Buffer.from(JSON.stringify(input ?? {}));
      await caller?.admitChange?.({ method: "mcp", params, body }, (value) => value);
      return { running: this.#send({}) };
    }
    const parked = parkedCalls.of(this.#ctx).get(keptId);
    const kept = keptSchema.safeParse(await takeKept(this.#ctx, this.#owner, keptId)).data;
    parkedCalls.of(this.#ctx).delete(keptId);
    if (kept === undefined || (kept.isParked && parked === undefined)) {
      throw new RefusedCall(tooLate());
    }
    const responses = this.#answer(kept);
    if (responses === undefined) {
      return parked === undefined
        ? await this.#keep(kept)
        : await this.#park(parked.call, parked.step, kept.questions[0]);
    }
    if (parked === undefined) {
      return {
        running: this.#send({ requestState: kept.requestState, inputResponses: responses }),
      };
    }
    const [answer] = Object.values(responses);
    parked.step.answer(answer ?? { action: "cancel" });
    return { running: parked.call };
  }

  #send(more: {
    requestState?: string | undefined;
    inputResponses?: Record<string, Answer>;
  }): RunningCall {
    const { server, version, run } = this.#of;
    const { definition, name } = version;
    const { callMs } = this.#ctx.settings.mcpLimits;
    // It may continue while the request that has begun it is over, and its user answers.
    const ctx = { ...this.#ctx, signal: new AbortController().signal };
    return new RunningCall(async ({ signal, onAsked }) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(callMs)]);
      const use = {
        owner: run.sessionId,
        signal: limit,
        onAsked,
        onListChanged: () => void this.#expire(),
      };
      return await withClient(ctx, server, use, async ({ client, door }) => {
        const options = {
          ...{
            signal: door.signal,
            timeout: callMs,
            maxTotalTimeout: callMs,
            allowInputRequired: true,
          },
          onprogress: (progress: Parameters<NonNullable<typeof run.caller>["reportProgress"]>[0]) =>
            run.caller?.reportProgress({
              progress: progress.progress,
              ...(progress.total === undefined ? {} : { total: progress.total }),
            }),
        };
        const given = { ...Object(run.input) };
        try {
          if (name === READ_RESOURCE && version.digest === "built-in") {
            const params = { uri: String(given.uri), ...more };
            return await client.request({ method: "resources/read", params }, options);
          }
          const toolDefinition = { name, inputSchema: definition.inputSchema };
          return await client.callTool(
            { name, arguments: given, ...more },
            { ...options, toolDefinition },
          );
        } catch (error) {
          this.refusal = door.refusal();
          // The reason why the answer ended says more than that it did.
          throw door.signal.aborted ? door.signal.reason : error;
        }
      });
    });
  }

  async #expire(): Promise<void> {
    const { integrationId, serverUrl } = this.#of.version;
    const { db, clock, log } = this.#ctx;
    try {
      await expireLists(db, { integrationId, serverUrl, now: clock.now() });
    } catch (error) {
      log.warn("agents.upstream_list_not_expired", { reason: String(error) });
    }
  }

  async #pass(asked: { key: string; method: string; params: unknown }): Promise<Question> {
    const passed = await passOn(this.#ctx, this.#of.server, asked);
    if (passed.kind !== "refused") return { ...passed, theirKey: asked.key };
    throw new RefusedCall({
      ...{ code: "provider_error", message: `The server ${passed.reason}, which is refused.` },
      next: "Do not do it for the server in another way. Tell the user.",
    });
  }

  /** The answers, by the server's keys; undefined while one is missing, which the client is then asked for. */
  #answer({ questions }: Kept): Record<string, Answer> | undefined {
    const answers = questions.map((question) => [question.theirKey, this.#ask(question)] as const);
    const given = answers.flatMap(([key, answer]) =>
      answer === undefined ? [] : [[key, answer] as const],
    );
    return given.length === questions.length ? Object.fromEntries(given) : undefined;
  }

  #ask(question: Question): Answer | undefined {
    const { caller } = this.#of.run;
    if (question.kind === "form") {
      if (caller === undefined) throw new RefusedCall(askedTooOften());
      return caller.elicit(question.form);
    }
    try {
      return caller?.openAddress?.(question.address);
    } catch {
      throw new RefusedCall(toOpen(question.address));
    }
  }

  async #keep(kept: Kept): Promise<never> {
    const id = await keepForCall(this.#ctx, this.#owner, kept);
    this.#of.run.caller?.keep?.(id);
    throw new RefusedCall(waiting());
  }

  async #park(
    call: RunningCall,
    step: Extract<Step, { kind: "asked" }>,
    question: Question | undefined,
  ): Promise<never> {
    const questions = question === undefined ? [] : [question];
    const id = await keepForCall(this.#ctx, this.#owner, { questions, isParked: true });
    parkedCalls.of(this.#ctx).set(id, { call, step });
    this.#of.run.caller?.keep?.(id);
    throw new RefusedCall(waiting());
  }
}

function toOpen({ url, message }: { url: string; message: string }) {
  return {
    ...{ code: "input_required" as const, message, open_url: url },
    next: "Show the user open_url and whose address it is; they may open it. Call again when they have finished.",
  };
}

function waiting() {
  return {
    ...{ code: "input_required" as const, message: "The server asks the user." },
    next: "Let the user answer.",
  };
}

function tooLate() {
  return {
    ...{ code: "input_required" as const, message: "The server's question has expired." },
    next: "Nothing more was sent. Call again; the server may ask again.",
  };
}

function askedTooOften() {
  return {
    ...{ code: "input_required" as const, message: "The server asks what nobody here can answer." },
    next: "Tell the user, or use another tool.",
  };
}

function elsewhere() {
  return {
    ...{ code: "unknown_tool" as const, message: "The account has another server now." },
    next: "List or find the tools again.",
  };
}
