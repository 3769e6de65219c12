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
