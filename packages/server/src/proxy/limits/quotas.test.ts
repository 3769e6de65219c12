import { expect, test } from "vitest";
import { type ConnectionUuid, newRandomId } from "#foundation";
import { Quotas } from "./quotas.ts";

const now = 1_000_000;

function owners(count: number, integrationId = 1) {
  return Array.from({ length: count }, () => ({
    connection: newRandomId<ConnectionUuid>(),
    integrationId,
  }));
}

test("blocks the connection until its time, and no other", () => {
  const quotas = new Quotas();
  const [own, other] = owners(2);
  if (own === undefined || other === undefined) throw new Error("two owners");

  const blocked = quotas.note(own, { waitMs: 500, scope: "connection" }, now);

  expect(blocked).toEqual([`c:${own.connection}`]);
  expect(quotas.blockedUntil(own, now)).toBe(now + 500);
  expect(quotas.blockedUntil(own, now + 500)).toBe(0);
  expect(quotas.blockedUntil(other, now)).toBe(0);
});

test("three connections that are refused at one time block the app, another app continues", () => {
  const quotas = new Quotas();
  const [fourth, ...refused] = owners(4);
  const [foreign] = owners(1, 2);
  if (fourth === undefined || foreign === undefined) throw new Error("owners");

  for (const owner of refused) quotas.note(owner, { waitMs: 500, scope: "connection" }, now);

  expect(quotas.blockedUntil(fourth, now)).toBe(now + 500);
  expect(quotas.blockedUntil(foreign, now)).toBe(0);
});

test("tells of a block once, and again only when it was over", () => {
  const quotas = new Quotas();

  expect(quotas.block("c:x", now + 100, now)).toBe(true);
  expect(quotas.block("c:x", now + 100, now)).toBe(false);
  expect(quotas.block("c:x", now + 200, now + 50)).toBe(false);
  expect(quotas.untilOf("c:x")).toBe(now + 200);
  expect(quotas.block("c:x", now + 300, now + 250)).toBe(true);
});

test("holds a bounded number of blocks", () => {
  const quotas = new Quotas();

  for (let n = 0; n <= 10_000; n += 1) quotas.block(`c:${n}`, now + 100, now);

  expect(quotas.untilOf("c:0")).toBe(0);
  expect(quotas.untilOf("c:10000")).toBe(now + 100);
});
