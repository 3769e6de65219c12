import { expect, test } from "vitest";
import { accessScreens, accountScreens, environmentScreens, findScreen } from "./screen-modules.ts";

test.each([
  ["", undefined],
  ["sign-in", accessScreens["sign-in"]],
  ["people", accountScreens["people"]],
  ["environments", accountScreens["environments"]],
  ["o/01a2", accountScreens["o/$operationId"]],
  ["o", environmentScreens["/"]],
  ["dev", environmentScreens["/"]],
  ["dev/operations", environmentScreens["operations"]],
  ["dev/operations/01a2", environmentScreens["operations/$operationId"]],
  ["dev/webhooks/out", environmentScreens["webhooks/out"]],
  ["dev/webhooks/out/01a2", environmentScreens["webhooks/out/$deliveryId"]],
  [
    "dev/connections/hubspot/c%2F1/overview",
    environmentScreens["connections/$integration/$connectionId/$tab"],
  ],
  ["dev/no-such-screen", undefined],
  ["dev/constructor", undefined],
])("the page at %s is loaded with its screen", (path, screen) => {
  expect(findScreen(path.split("/").filter((part) => part !== ""))).toBe(screen);
});

test("a name that a screen has in itself is read before one that may be anything", () => {
  for (const [path, screen] of Object.entries(environmentScreens)) {
    if (path === "/" || path.includes("$")) continue;

    expect(findScreen(["dev", ...path.split("/")])).toBe(screen);
  }
});
