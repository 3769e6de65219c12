import { expect, test } from "vitest";
import { readEvents } from "./read-events.ts";
import { parseSessionResult } from "./session-result.ts";

function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
}

test.each([
  ["whole events", ['data: {"a":1}\n\n', "data: b\n\n"], ['{"a":1}', "b"]],
  ["events in pieces", ["da", "ta: on", "e\n", "\ndata: two\n\n"], ["one", "two"]],
  ["lines of other kinds", [": comment\n\nevent: x\nid: 1\ndata: a\n\n"], ["a"]],
  ["several lines of data", ["data: a\ndata:b\n\n"], ["a\nb"]],
  ["carriage returns, also split", ["data: a\r", "\n\r\ndata: b\r\n\r\n"], ["a", "b"]],
  ["an event that never ends", ["data: a\n\ndata: b\n"], ["a"]],
])("reads %s", async (_case, chunks, expected) => {
  let wakes = 0;
  const events: string[] = [];
  const onBytes = (): void => {
    wakes += 1;
  };
  for await (const event of readEvents(streamOf(...chunks), onBytes)) events.push(event);

  expect(events).toEqual(expected);
  expect(wakes).toBe(chunks.length);
});

test("how another attempt ended says nothing of this one", () => {
  const error = { type: "authorization_cancelled", message: "Denied." };
  const failed = { data: { state: "error", attempt_id: "first", error } };
  const made = {
    data: { state: "success", attempt_id: "first", connection_id: "c", provider_config_key: "k" },
  };

  expect(parseSessionResult(failed, "second")).toEqual({ state: "waiting" });
  expect(parseSessionResult(failed, "first")).toMatchObject({ state: "error", error });
  expect(parseSessionResult(made, "second")).toEqual({ state: "waiting" });
  expect(parseSessionResult(made, "first")).toEqual({
    state: "success",
    result: { connectionId: "c", providerConfigKey: "k" },
  });
  expect(parseSessionResult("nonsense")).toEqual({ state: "waiting" });
});
