import { expect, test } from "vitest";
import * as z from "zod";
import { testRun } from "./testing/test-run.ts";

const connection = {
  id: 1,
  metadata: { region: "eu" },
  credentials: { type: "OAUTH2", access_token: "secret" },
};

test("a connection is remembered for 60 s and read again on request", async () => {
  const { svc, calls, clock } = testRun({ answer: () => ({ value: connection }) });

  await svc.getConnection();
  await svc.getToken();
  await svc.getMetadata();
  clock.nowMs += 59_999;
  await svc.getConnection("crm", "c1");
  expect(calls).toHaveLength(1);

  await svc.getConnection("crm", "c2");
  await svc.getConnection("crm", "c1", { forceRefresh: true });
  clock.nowMs += 60_001;
  await svc.getConnection();

  expect(calls.map(({ params }) => [params["connectionId"], params["forceRefresh"]])).toEqual([
    ["c1", false],
    ["c2", false],
    ["c1", true],
    ["c1", false],
  ]);
});

test("the token is what the kind of credentials calls a token", async () => {
  const token = (credentials: object) =>
    testRun({ answer: () => ({ value: { ...connection, credentials } }) }).svc.getToken();

  expect(await token({ type: "OAUTH2", access_token: "a" })).toBe("a");
  expect(await token({ type: "OAUTH1", oauth_token: "t", oauth_token_secret: "s" })).toEqual({
    oAuthToken: "t",
    oAuthTokenSecret: "s",
  });
  expect(await token({ type: "API_KEY", apiKey: "k" })).toEqual({ type: "API_KEY", apiKey: "k" });
});

test("metadata is replaced or merged by the host and then read afresh", async () => {
  const { svc, calls } = testRun({ answer: () => ({ value: connection }) });

  expect(await svc.getMetadata()).toEqual({ region: "eu" });
  const place = { connection_id: "c1", provider_config_key: "crm" };
  expect(await svc.setMetadata({ region: "us" })).toEqual({
    status: 201,
    statusText: "Created",
    data: { ...place, metadata: { region: "us" } },
  });
  expect(await svc.updateMetadata({ size: 1 })).toMatchObject({
    status: 200,
    data: { ...place, metadata: { size: 1 } },
  });
  await svc.getMetadata();

  expect(calls.map(({ method, params }) => [method, params["mode"]])).toEqual([
    ["getConnection", undefined],
    ["setMetadata", "replace"],
    ["setMetadata", "merge"],
    ["getConnection", undefined],
  ]);
  // @ts-expect-error an object is needed
  await expect(svc.setMetadata("text")).rejects.toThrow("must be an object");
});

test("metadata that does not fit the schema fails where the environment says so", async () => {
  const validation = {
    input: "off",
    output: "off",
    records: "off",
    checkpoint: "off",
    metadata: "fail",
  } as const;
  const { svc } = testRun({
    answer: () => ({ value: connection }),
    facts: { validation },
    schemas: {
      metadata: z.object({ region: z.string().refine(async (region) => region === "us") }),
    },
  });

  await expect(svc.getMetadata()).rejects.toThrow("does not match its schema: region");
  await expect(svc.setMetadata({ region: "asia" })).rejects.toThrow("does not match its schema");
  await svc.setMetadata({ region: "us" });
});
