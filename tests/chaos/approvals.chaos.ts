import { expect, test } from "vitest";
import {
  approveRandomActions,
  startApprovedActions,
} from "../../packages/server/src/agents/testing/approved-actions.ts";

test("T6: of 1,000 random actions, each sends the request that was shown, or nothing", async () => {
  await using approved = await startApprovedActions();

  const { sent, stale } = await approveRandomActions(approved, 1000);

  process.stdout.write(`T6: 1,000 random actions, ${sent} sent what was shown, ${stale} nothing\n`);
  expect(sent).toBeGreaterThan(250);
  expect(stale).toBeGreaterThan(250);
});
