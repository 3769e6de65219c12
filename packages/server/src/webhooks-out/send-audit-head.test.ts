import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { sendAuditHead } from "./send-audit-head.ts";
import { growAuditLog } from "./testing/grow-audit-log.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { ok, receive } from "./testing/receiver.ts";

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

test("the end of the chain is sent once an hour, where it has grown, to those who want it", async () => {
  const { ctx, clock, database } = outbox.app;
  const receiver = await receive(ok);
  const wants = await outbox.environment({ primary: `${receiver.url}/wants` });
  await outbox.environment({ primary: `${receiver.url}/other` });
  await growAuditLog(ctx);
  const unwanted = await sendAuditHead(ctx);
  await database.pool.query(
    "update webhook_settings set on_audit_seal = true where environment_id = $1",
    [wants.environment.id],
  );
  outbox.startSending();

  const many = await Promise.all(Array.from({ length: 8 }, async () => await sendAuditHead(ctx)));
  await growAuditLog(ctx);
  const soon = await sendAuditHead(ctx);
  clock.advance(61 * MINUTE);
  const later = await sendAuditHead(ctx);
  clock.advance(61 * MINUTE);
  const idle = await sendAuditHead(ctx);

  expect(unwanted).toBe(0);
  expect(many.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  expect([soon, later, idle]).toEqual([0, 1, 0]);
  await expect.poll(() => receiver.received.length).toBe(2);
  const { rows } = await database.pool.query("select seal from audit_seals order by id");
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ seal }) => seal).toSorted()).toEqual(
    rows.map(({ seal }) => seal.toString("hex")).toSorted(),
  );
  expect(bodies[0]).toMatchObject({ from: "svc", type: "audit", environment: expect.any(String) });
  expect(receiver.received.every(({ path }) => path === "/wants")).toBe(true);
});
