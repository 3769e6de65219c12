import { expect, test } from "vitest";
import { readConfig } from "#config";

test.each([
  ["this machine alone", {}, true],
  ["this machine by name", { SVC_HOST: "localhost" }, true],
  ["every address", { SVC_HOST: "0.0.0.0" }, false],
  ["a proxy in front", { SVC_SERVER_URL: "https://jackfield.example.com" }, false],
  ["several processes", { SVC_API_PROCESSES: "2" }, false],
  ["an operator who wants none", { SVC_SIMULATOR: "off" }, false],
])("with %s a provider may be played: %j", (_who, env, isPlayed) => {
  expect(readConfig(env).config?.simulator).toBe(isPlayed);
});

test.each([
  [{}, "http://localhost:4000/dashboard", undefined],
  [{ SVC_HOST: "0.0.0.0" }, "http://localhost:4000/dashboard", undefined],
  [
    {
      SVC_SERVER_URL: "https://api.example.com",
      SVC_DASHBOARD_URL: "https://ops.example.com/dashboard",
    },
    "https://ops.example.com/dashboard",
    undefined,
  ],
  [{ SVC_SERVER_URL: "https://api.example.com" }, undefined, "needs SVC_DASHBOARD_URL"],
  [{ SVC_PORT: "4000" }, undefined, "is SVC_PORT"],
  [{ SVC_DASHBOARD_PORT: "0" }, undefined, "is 0"],
])(
  "with a port for people and %j they come to %s, or there is a fault: %s",
  (given, url, fault) => {
    const { config, problems } = readConfig({ SVC_DASHBOARD_PORT: "4000", ...given });

    expect(problems).toEqual(fault === undefined ? [] : [expect.stringContaining(fault)]);
    expect(config?.dashboardUrl).toBe(url);
  },
);
