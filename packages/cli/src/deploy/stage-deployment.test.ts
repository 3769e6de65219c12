import { stagedDeploymentRoutes } from "@jackfield/contract";
import { startThrowAwayServer } from "@jackfield/server";
import { expect, test } from "vitest";
import * as z from "zod";
import { callPlatform } from "./call-platform.ts";
import { stage, stagedPath } from "./stage-deployment.ts";
import type { DeploymentBody } from "./to-deployment.ts";

const { commitStagedDeployment } = stagedDeploymentRoutes;

function bodyOf(count: number, textOf: (n: number) => string): DeploymentBody {
  return {
    flowConfigs: Array.from({ length: count }, (_, n) => ({
      type: "action" as const,
      syncName: `action-${n}`,
      providerConfigKey: "crm",
      models: [],
      runs: null,
      fileBody: { js: `module.exports = ${JSON.stringify(textOf(n))};`, ts: textOf(n) },
      sourceMap: "{}",
    })),
    onEventScriptsByProvider: [
      {
        providerConfigKey: "crm",
        scripts: [
          {
            name: "hello",
            event: "post-connection-creation",
            fileBody: { js: "module.exports = 1;", ts: "hello" },
          },
        ],
      },
    ],
    reconcile: true,
    deployMode: "all",
  };
}

test("a deployment goes in parts, once with all bundles and later with those that changed", async () => {
  await using server = await startThrowAwayServer();
  const platform = { host: server.url, key: server.newKeys?.dev ?? "" };
  await callPlatform(platform, {
    path: "/integrations",
    body: { unique_key: "crm", provider: "unauthenticated" },
    answer: z.looseObject({}),
  });
  const deploy = async (body: DeploymentBody) => {
    const totals: number[] = [];
    const id = await stage(platform, body, (_sent, total) => totals.push(total));
    const deployed = await callPlatform(platform, {
      path: stagedPath(commitStagedDeployment.path, id),
      body: {},
      answer: commitStagedDeployment.success.schema,
    });
    return { deployed, sent: totals[0] ?? 0, parts: totals.length };
  };
  const large = "x".repeat(9 * 1024 * 1024);

  // The two large ones do not fit into a part together with others.
  const first = await deploy(bodyOf(1200, (n) => (n < 2 ? large + n : `text ${n}`)));
  const second = await deploy(
    bodyOf(1200, (n) => (n < 2 ? large + n : `text ${n === 7 ? "!" : n}`)),
  );
  const third = await deploy(
    bodyOf(1200, (n) => (n < 2 ? large + n : `text ${n === 7 ? "!" : n}`)),
  );

  expect(first.deployed).toHaveLength(1201);
  expect(first).toMatchObject({ sent: 1201, parts: 5 });
  expect(second.sent).toBe(1);
  expect(second.deployed.filter(({ version }) => version === "2").map(({ name }) => name)).toEqual([
    "action-7",
  ]);
  expect(third.sent).toBe(0);
}, 120_000);
