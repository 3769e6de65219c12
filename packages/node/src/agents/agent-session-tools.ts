import type { CreatedAgentSession } from "../api-types/index.ts";
import type { HttpClient } from "../calls/http.ts";
import { encode } from "../calls/request-parts.ts";
import { JackfieldError } from "../jackfield-error.ts";

/** A tool as a session shows it. */
export interface AgentTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** What a tool answered; with `isError` the text says what a model may do about it. */
export interface AgentToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The answer as a value, where it is JSON. */
  readonly value: unknown;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The session of an agent with its tools, in the forms that libraries of language models take. */
export class AgentSessionTools {
  readonly #http: HttpClient;
  readonly #toolset: string;
  #tools: Promise<readonly AgentTool[]> | undefined;
  /** As the server made it; its token is for clients of the Model Context Protocol at `mcp_url`. */
  readonly session: CreatedAgentSession;

  constructor(http: HttpClient, toolset: string, session: CreatedAgentSession) {
    this.#http = http;
    this.#toolset = toolset;
    this.session = session;
  }

  /** The tools, asked for once. */
  async list(): Promise<readonly AgentTool[]> {
    this.#tools ??= this.#rpc<{ tools: readonly AgentTool[] }>("tools/list", {}).then(
      ({ tools }) => tools,
    );
    try {
      return await this.#tools;
    } catch (error) {
      this.#tools = undefined;
      throw error;
    }
  }

  /** Calls a tool. A tool that fails is an answer; JackfieldError is thrown when the call does not get there. */
  async call(
    name: string,
    input: unknown = {},
    { signal }: CallOptions = {},
  ): Promise<AgentToolResult> {
    const params = { name, arguments: input };
    const result = await this.#rpc<{
      content: readonly { type: string; text?: string }[];
      isError?: boolean;
    }>("tools/call", params, signal);
    const texts = result.content.flatMap(({ text }) => (text === undefined ? [] : [text]));
    return {
      text: texts.join("\n"),
      isError: result.isError === true,
      value: parse(texts[0] ?? ""),
    };
  }

  /** `tools` of a request to OpenAI's Responses API. */
  async forOpenAI() {
    return (await this.list()).map(({ name, description = "", inputSchema }) => ({
      ...{ type: "function" as const, name, description, parameters: inputSchema },
      strict: false as const,
    }));
  }

  /** Does a `function_call` of an answer of OpenAI's Responses API; resolves to the item to send back. */
  async answerOpenAI(
    call: { readonly name: string; readonly arguments: string; readonly call_id: string },
    options: CallOptions = {},
  ) {
    const { text } = await this.call(call.name, parse(call.arguments), options);
    return { type: "function_call_output" as const, call_id: call.call_id, output: text };
  }

  /** `tools` of a request to Anthropic's Messages API. */
  async forAnthropic() {
    return (await this.list()).map(({ name, description = "", inputSchema }) => ({
      ...{ name, description },
      input_schema: { ...inputSchema, type: "object" as const },
    }));
  }

  /** Does a `tool_use` block of an answer of Anthropic's Messages API; resolves to the block to send back. */
  async answerAnthropic(
    block: { readonly id: string; readonly name: string; readonly input: unknown },
    options: CallOptions = {},
  ) {
    const { text, isError } = await this.call(block.name, block.input, options);
    return {
      ...{ type: "tool_result" as const, tool_use_id: block.id, content: text },
      ...(isError ? { is_error: true as const } : {}),
    };
  }

  /** `tools` of the AI SDK, whose `jsonSchema` function is passed. */
  async forAiSdk<Schema>(sdk: {
    // It takes a type of JSON Schema of its own.
    jsonSchema(schema: never): Schema;
  }) {
    const tools = (await this.list()).map(({ name, description = "", inputSchema }) => {
      const execute = async (input: unknown, options: { abortSignal?: AbortSignal } = {}) =>
        (await this.call(name, input, { signal: options.abortSignal })).value;
      return [
        name,
        { description, inputSchema: sdk.jsonSchema(asForeign(inputSchema)), execute },
      ] as const;
    });
    return Object.fromEntries(tools);
  }

  /** Ends the session: no call of it begins after the answer. */
  async end(): Promise<void> {
    await this.#http.json({ method: "DELETE", path: `/agent/sessions/${encode(this.session.id)}` });
  }

  async #rpc<Result>(method: string, params: object, signal?: AbortSignal): Promise<Result> {
    return await callRpc<Result>(this.#http, {
      ...{ path: `/mcp/${encode(this.#toolset)}`, token: this.session.token },
      ...{ method, params, signal },
    });
  }
}

// A schema is JSON; what type a library gives it is the library's.
function asForeign(schema: unknown): never {
  return schema as never;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface RpcCall {
  readonly path: string;
  readonly token: string;
  readonly method: string;
  readonly params: object;
  readonly signal?: AbortSignal | undefined;
}

interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string; readonly data?: { readonly code?: string } };
}

/** A call of the Model Context Protocol, whose answer comes as JSON or as the last event of a stream. */
async function callRpc<Result>(
  http: HttpClient,
  { path, token, method, params, signal }: RpcCall,
): Promise<Result> {
  const response = await http.send(
    { method: "POST", path, token, signal },
    {
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    },
  );
  const answer = readAnswer(await response.text());
  if (answer?.error === undefined && answer?.result !== undefined) {
    // The server's schema says what each method answers.
    return answer.result as Result;
  }
  throw new JackfieldError({
    code: answer?.error?.data?.code ?? "server_error",
    message: answer?.error?.message ?? "The server answered the call with nothing.",
    status: response.status,
  });
}

function readAnswer(text: string): RpcAnswer | undefined {
  const messages = text.trimStart().startsWith("{") ? [text] : dataOf(text);
  return messages.map((each): RpcAnswer => JSON.parse(each)).findLast(({ id }) => id === 1);
}

/** The data of each event of a stream of server-sent events. */
function dataOf(text: string): string[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
    return lines.length === 0 ? [] : [lines.map((line) => line.slice(5)).join("\n")];
  });
}
