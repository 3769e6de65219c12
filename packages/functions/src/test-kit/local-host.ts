import type { RunFacts } from "@jackfield/contract/runtime";
import * as z from "zod";
import type { HostCall, LocalState, LogLine } from "./local-methods.ts";
import { localMethods } from "./local-methods.ts";
import type { ModelChanges } from "./recording.ts";

export interface HostAnswer {
  readonly value: unknown;
  readonly body?: Uint8Array;
  /** Of a tape that is played: the moment at which the answer came. */
  readonly moment?: string | undefined;
}

/** Does the calls that need a server or a provider; throws a HostFailure. */
export type Forward = (call: HostCall) => Promise<HostAnswer>;

export interface LocalHostOptions {
  readonly facts: Pick<RunFacts, "connectionId" | "providerConfigKey">;
  /** What the function finds as its connection's metadata; absent: the connection's own. */
  readonly metadata?: Record<string, unknown> | undefined;
  readonly checkpoint?: Record<string, unknown> | undefined;
  readonly forward: Forward;
  readonly onLog?: (line: LogLine) => void;
  /** After each call, for progress. */
  readonly onCall?: (call: HostCall) => void;
}

const connectionValue = z.looseObject({
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
const recordsAsked = z.looseObject({ model: z.string(), ids: z.array(z.string()) });
const connectionRef = z.object({
  providerConfigKey: z.string().optional(),
  connectionId: z.string().optional(),
});

/** Stands in for the server while a function runs here: keeps what it writes, and forwards what needs the outside. */
export class LocalHost {
  readonly #options: LocalHostOptions;
  readonly state: LocalState;

  constructor(options: LocalHostOptions) {
    this.#options = options;
    this.state = {
      records: new Map(),
      checkpoint: options.checkpoint ?? null,
      isCheckpointTouched: false,
      metadata: options.metadata,
      metadataPatch: undefined,
      locks: new Set(),
      logs: [],
      notes: new Set(),
    };
  }

  async call(call: HostCall): Promise<HostAnswer> {
    const { method } = call;
    try {
      const local = localMethods[method];
      if (local !== undefined) {
        const value = local({ state: this.state, onLog: this.#options.onLog }, call);
        return { value: value ?? null };
      }
      if (method === "getRecords") return await this.#readRecords(call);
      const answer = await this.#options.forward(call);
      return method === "getConnection" ? this.#withLocalMetadata(call, answer) : answer;
    } finally {
      this.#options.onCall?.(call);
    }
  }

  /** Records by model, in the order in which they were written. */
  get changes(): Record<string, ModelChanges> {
    return Object.fromEntries(
      [...this.state.records].map(([model, { saved, updated, deleted }]) => [
        model,
        { saved: [...saved.values()], updated: [...updated.values()], deleted: [...deleted] },
      ]),
    );
  }

  /** Records that this run has saved come from here, the rest are the stored ones. */
  async #readRecords(call: HostCall): Promise<HostAnswer> {
    const { model, ids } = recordsAsked.parse(call.params);
    const written = this.state.records.get(model);
    const findOwn = (id: string) => written?.saved.get(id) ?? written?.updated.get(id);
    const isKnown = (id: string) => findOwn(id) !== undefined || written?.deleted.has(id) === true;
    const others = ids.filter((id) => !isKnown(id));
    const lines = ids.flatMap((id) => {
      const record = findOwn(id);
      return record === undefined ? [] : [JSON.stringify(record)];
    });
    if (others.length > 0) {
      const { body } = await this.#options.forward({ ...call, params: { model, ids: others } });
      const text = new TextDecoder().decode(body).trimEnd();
      if (text !== "") lines.push(text);
    }
    const text = lines.join("\n");
    const count = text === "" ? 0 : text.split("\n").length;
    return {
      value: { sequences: Array.from({ length: count }, () => 0), hasMore: false },
      body: new TextEncoder().encode(text),
    };
  }

  #withLocalMetadata(call: HostCall, answer: HostAnswer): HostAnswer {
    const { metadata, metadataPatch } = this.state;
    const { facts } = this.#options;
    const wanted = connectionRef.parse(call.params);
    const isOwn =
      (wanted.connectionId ?? facts.connectionId) === facts.connectionId &&
      (wanted.providerConfigKey ?? facts.providerConfigKey) === facts.providerConfigKey;
    if (!isOwn || (metadata === undefined && metadataPatch === undefined)) return answer;
    const connection = connectionValue.parse(answer.value);
    return {
      ...answer,
      value: {
        ...connection,
        metadata: { ...(metadata ?? connection.metadata), ...metadataPatch },
      },
    };
  }
}
