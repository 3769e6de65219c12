import { expect } from "vitest";
import type { Sample } from "./answer-samples.ts";
import type { WireAnswer } from "./proxy-under-test.ts";

/** The answer is the sample's: status, reason, headers with order and spelling, body, trailers. */
export function expectExact(answer: WireAnswer, sample: Sample): void {
  const { status = "200 OK", headers = [], body = "", framing = "length" } = sample;
  const bytes = Buffer.from(body);
  const length = framing === "length" ? ["Content-Length", String(bytes.byteLength)] : [];
  expect(answer.status).toBe(Number(status.slice(0, 3)));
  expect(answer.statusText).toBe(status.slice(4));
  expect(answer.headers).toEqual([...headers, ...length]);
  expect(answer.body.equals(bytes)).toBe(true);
  expect(answer.trailers).toEqual(sample.trailers ?? []);
}
