import { expect, test } from "vitest";
import { guardReach, type Reach } from "./guard-reach.ts";

/** What the calls that were let through were answered. */
function guarded(reach: Omit<Reach, "functionName">) {
  const forward = guardReach(
    async () => ({ value: { connection_id: "c1", credentials: { apiKey: "k" } } }),
    { functionName: "contacts", ...reach },
  );
  return async (method: string, params: object) =>
    await forward({ method, params, body: new Uint8Array() });
}

const egress = ["{integration}", "*.files.example"];

test("a dry run refuses hosts that the function does not name, with the line to write", async () => {
  const call = guarded({ egress });

  await expect(call("fetch", { url: "https://a.files.example/x" })).resolves.toBeDefined();
  await expect(call("fetch", { url: "https://evil.example/x" })).rejects.toMatchObject({
    error: {
      type: "egress_refused",
      message: expect.stringContaining(
        'egress: ["{integration}", "*.files.example", "evil.example"]',
      ),
    },
  });
  await expect(
    guarded({ egress: ["a.example"] })("proxy", { baseUrlOverride: "https://evil.example" }),
  ).rejects.toMatchObject({ error: { type: "egress_refused" } });
});

test("without egress, or with the word for all hosts, nothing is refused", async () => {
  const url = "https://evil.example/x";

  await expect(guarded({})("fetch", { url })).resolves.toBeDefined();
  await expect(guarded({ egress: ["*"] })("fetch", { url })).resolves.toBeDefined();
});

test("a function that works without credentials gets none in a dry run", async () => {
  const call = guarded({ credentials: "proxy-only" });
  const withheld = { error: { type: "credentials_withheld" } };

  const { value } = await call("getConnection", { refreshToken: false });

  expect(value).toEqual({ connection_id: "c1" });
  await expect(call("getConnection", { refreshToken: true })).rejects.toMatchObject(withheld);
  await expect(call("getEnvironmentVariables", {})).rejects.toMatchObject(withheld);
  await expect(call("getIntegration", { include: ["credentials"] })).rejects.toMatchObject(
    withheld,
  );
});
