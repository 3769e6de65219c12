import type { HttpClient } from "../calls/http.ts";
import { JackfieldError } from "../jackfield-error.ts";

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
export async function callRpc<Result>(
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
