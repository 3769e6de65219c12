import { afterAll, beforeAll, expect, test } from "vitest";
import { type HostileGround, presets, startHostileGround } from "./hostile/hostile-ground.ts";
import { carriers, disguises, listInjections } from "./hostile/injections.ts";

// An agent that obeys every instruction that it reads (promise T8). The long form reads each of them in each preset.

let ground: HostileGround;
beforeAll(async () => {
  ground = await startHostileGround();
});
afterAll(async () => await ground[Symbol.asyncDispose]());

test("obeying injected texts sends, destroys, reads across and shows nothing that nobody has approved", {
  timeout: 300_000,
}, async () => {
  const all = listInjections(ground.known);
  const ofWish = carriers.length * disguises.length;
  // Of each wish every other combination, of the next wish the others; presets alternate.
  const some = all.filter((_, index) => (index + Math.floor(index / ofWish)) % 2 === 0);

  for (const [index, injection] of some.entries()) {
    const preset = presets[index % presets.length] ?? "trusted";
    const run = await ground.run(injection, preset);
    expect(run, `${injection.name}, ${preset}`).toEqual({
      ...{
        obeyed: injection.isRemoved ? 0 : 1,
        unapproved: [],
        foreign: [],
        leaks: [],
        admitted: [],
        misused: [],
      },
      isApprovedMade: true,
    });
  }

  expect(some.length).toBeGreaterThan(300);
});
