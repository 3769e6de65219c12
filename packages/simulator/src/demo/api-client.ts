import { styleText } from "node:util";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Part of the answer worth showing; all of it by default. */
  readonly show?: (body: unknown) => unknown;
}

/** Calls the server's API and prints each call with its result; any status but 2xx ends the demo. */
export class ApiClient {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async call(method: string, path: string, call: Call = {}): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    const text = await response.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    printCall(`${method} ${path}`, call.body);
    printResult(response.status, (call.show ?? ((all) => all))(body));
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return { status: response.status, headers: response.headers, body };
  }
}

const WIDTH = 150;

export function printStep(title: string): void {
  process.stdout.write(`\n${styleText("bold", title)}\n`);
}

export function printCall(call: string, body?: unknown): void {
  const sent = body === undefined ? "" : ` ${shorten(body)}`;
  process.stdout.write(`  ${styleText("cyan", call)}${styleText("dim", sent)}\n`);
}

export function printResult(status: number | string, result: unknown): void {
  process.stdout.write(`    ${styleText("green", String(status))} ${shorten(result)}\n`);
}

/** One line, without the middle of secrets. */
function shorten(value: unknown): string {
  const text = value === undefined ? "" : JSON.stringify(value, hideSecrets);
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text;
}

const secretNames = /(token|secret|apiKey|^key$|connect_link)/i;

function hideSecrets(name: string, value: unknown): unknown {
  if (!secretNames.test(name) || typeof value !== "string" || value.length < 12) return value;
  return `${value.slice(0, 6)}…`;
}
