import { expect, test } from "vitest";
import { environmentOf, homeOf, takenBeginnings } from "./environment-address.ts";
import { accessScreens, accountScreens, environmentScreens, findScreen } from "./screen-modules.ts";

test.each([
  ["", undefined],
  ["sign-in", accessScreens["sign-in"]],
  ["people", accountScreens["people"]],
  ["environments", accountScreens["environments"]],
  ["o/01a2", accountScreens["o/$operationId"]],
  ["o", environmentScreens["/"]],
  ["~o/01a2", undefined],
  ["~people", environmentScreens["/"]],
  ["~people/operations", environmentScreens["operations"]],
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

test("an environment named like a page is found below an address of its own", () => {
  const pages = [...Object.keys(accessScreens), ...Object.keys(accountScreens)];
  const beginnings = new Set(pages.map((path) => path.split("/")[0]));

  expect(takenBeginnings).toEqual([...beginnings.add("assets")].toSorted());
  for (const name of takenBeginnings) {
    const part = homeOf(name).slice(1);

    expect(takenBeginnings).not.toContain(part);
    expect(findScreen([part])).toBe(environmentScreens["/"]);
    expect(findScreen([part, "operations"])).toBe(environmentScreens["operations"]);
    expect(environmentOf(part)).toBe(name);
  }
  expect(homeOf("dev")).toBe("/dev");
});
