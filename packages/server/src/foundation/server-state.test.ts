import { expect, test } from "vitest";
import { ServerStates, serverState } from "./server-state.ts";

test("a state is made once for each server, and two servers of a process share nothing", () => {
  const counts = serverState(() => new Map<string, number>());
  const [one, other] = [{ state: new ServerStates() }, { state: new ServerStates() }];

  counts.of(one).set("calls", 1);

  expect(counts.of({ ...one }).get("calls")).toBe(1);
  expect(counts.of(other).get("calls")).toBeUndefined();
  expect(counts.of(other)).not.toBe(counts.of(one));
});

test("it is made of the context that asks first, and of nothing before that", () => {
  let made = 0;
  const limit = serverState(({ most }: { most: number }) => {
    made += 1;
    return most;
  });
  const state = new ServerStates();

  const before = limit.find({ state });
  const values = [limit.of({ state, most: 3 }), limit.of({ state, most: 7 })];

  expect([before, ...values, limit.find({ state }), made]).toEqual([undefined, 3, 3, 3, 1]);
});

test("a state that holds nothing is made once, too", () => {
  let made = 0;
  const nothing = serverState(() => {
    made += 1;
    return undefined;
  });
  const ctx = { state: new ServerStates() };

  expect([nothing.of(ctx), nothing.of(ctx), made]).toEqual([undefined, undefined, 1]);
});

test("the server disposes what it has made, the newest first, and nothing that was set", async () => {
  const ended: string[] = [];
  const ending = (name: string) => ({ [Symbol.dispose]: () => void ended.push(name) });
  const later = { [Symbol.asyncDispose]: async () => void ended.push("later") };
  const [first, second, third] = [
    serverState(() => ending("first")),
    serverState(() => later),
    serverState(() => ending("third")),
  ];
  const state = new ServerStates();
  first.of({ state });
  second.of({ state });
  third.set({ state }, ending("set"));

  await state[Symbol.asyncDispose]();

  expect(ended).toEqual(["later", "first"]);
  expect([first.find({ state }), third.find({ state })]).toEqual([undefined, undefined]);
});
