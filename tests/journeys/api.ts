import { expect } from "vitest";
import { nonconformity } from "./conformance.ts";

/** One call to a server's API; answers are parsed JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers and compare what they find
  readonly body: any;
}

export type Api = (
  method: string,
  path: string,
  call?: { headers?: Record<string, string>; body?: unknown },
) => Promise<ApiAnswer>;

/** Calls that also check each answer against openapi.json. */
export function apiOf(url: string, key: string): Api {
  return async (method, path, call = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${key}`,
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const body = isJson && text !== "" ? JSON.parse(text) : text;
    expect(nonconformity({ method, path, status: response.status, body })).toBeUndefined();
    return { status: response.status, headers: response.headers, body };
  };
}
