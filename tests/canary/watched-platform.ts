import { expect } from "vitest";
import { type Finding, findSecrets } from "./forms-of.ts";

type Headers = Readonly<Record<string, string>>;

/** A server whose failures are searched for secrets as they come, and all else that is shown to `look`. */
export class WatchedPlatform {
  readonly url: string;
  readonly findings: Finding[] = [];
  /** Secrets by name; more join on the way. */
  readonly secrets: Map<string, string>;
  readonly #key: string;

  constructor(url: string, key: string, secrets: Readonly<Record<string, string>>) {
    this.url = url;
    this.#key = key;
    this.secrets = new Map(Object.entries(secrets));
  }

  look(surface: string, text: string): void {
    this.findings.push(...findSecrets(surface, text, this.secrets));
  }

  /** The answer to a call that has to succeed; by the full key unless `headers` say otherwise. */
  async done(method: string, path: string, body?: object, headers?: Headers): Promise<string> {
    const { status, text } = await this.#call(method, path, body, headers);
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return text;
  }

  /** `data` of such an answer. */
  async data(method: string, path: string, body?: object, headers?: Headers) {
    const text = await this.done(method, path, body, headers);
    const data: Record<string, string> = Object(JSON.parse(text).data);
    return data;
  }

  /** A call that has to fail; its answer is searched. */
  async refused(
    method: string,
    path: string,
    body?: object | string,
    headers?: Headers,
  ): Promise<void> {
    const { status, text } = await this.#call(method, path, body, headers);
    expect(status, `${method} ${path}: ${text}`).toBeGreaterThanOrEqual(400);
    this.look(`${method} ${path.split("?")[0]} ${status}`, text);
  }

  /** An answer to somebody who may not read secrets. */
  async seenBy(headers: Headers, path: string): Promise<void> {
    this.look(`GET ${path}`, await this.done("GET", path, undefined, headers));
  }

  /** Any answer, which nobody searches. */
  async plain(method: string, path: string, body: object, headers: Headers) {
    return await this.#call(method, path, body, headers);
  }

  async #call(method: string, path: string, body?: object | string, headers: Headers = {}) {
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: typeof body === "object" ? JSON.stringify(body) : (body ?? null),
    });
    return { status: response.status, text: await response.text() };
  }
}
