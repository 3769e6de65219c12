import { expect, test } from "vitest";
import { createTokenStore } from "./token-store.ts";

const newReuseError = (): Error => new Error("used before");

test("hands a token out once when two requests consume it, and ends its grant", async () => {
  const store = createTokenStore(newReuseError);
  const refreshTokens = store("RefreshToken");
  const grants = store("Grant");
  await grants.upsert("g1", { jti: "g1" }, 60);
  await refreshTokens.upsert("r1", { jti: "r1", grantId: "g1" }, 60);
  await refreshTokens.upsert("other", { jti: "other", grantId: "g2" }, 60);

  await refreshTokens.consume("r1");
  await expect(refreshTokens.consume("r1")).rejects.toThrow("used before");
  await refreshTokens.upsert("r2", { jti: "r2", grantId: "g1" }, 60);

  expect(await grants.find("g1")).toBeUndefined();
  expect(await refreshTokens.find("r1")).toBeUndefined();
  expect(await refreshTokens.find("r2")).toBeUndefined();
  expect(await refreshTokens.find("other")).toMatchObject({ jti: "other" });
});

test("forgets what has expired and nothing else, however much is stored", async () => {
  const store = createTokenStore(newReuseError);
  const accessTokens = store("AccessToken");
  await accessTokens.upsert("expired", { jti: "expired" }, 0);
  await accessTokens.upsert("first", { jti: "first" }, 60);

  for (let index = 0; index < 5000; index += 1) {
    await accessTokens.upsert(`t${index}`, { jti: `t${index}` }, 60);
  }

  expect(await accessTokens.find("expired")).toBeUndefined();
  expect(await accessTokens.find("first")).toMatchObject({ jti: "first" });
  expect(await accessTokens.find("t0")).toMatchObject({ jti: "t0" });
});
