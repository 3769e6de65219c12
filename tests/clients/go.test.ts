import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describeIntegration, startVendor } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, type TestContext, test, vi } from "vitest";
import type { TestPlatform } from "../../packages/cli/src/test.ts";
import { runJackfield } from "../../packages/cli/src/testing/run-jackfield.ts";
import { apiOf } from "../journeys/api.ts";
import { startOnClone } from "../launcher/start-on-clone.ts";
import { requireTool } from "../require-tool.ts";

// The first build compiles the packages of Go's own library.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const root = fileURLToPath(new URL("../../", import.meta.url));
const stack = new AsyncDisposableStack();
let platform: TestPlatform;
let folder: string;
let apiKey: string;

beforeAll(async () => {
  platform = stack.use(await startOnClone());
  folder = await mkdtemp(join(tmpdir(), "jackfield-go-"));
  stack.defer(async () => await rm(folder, { recursive: true, force: true }));
  const vendor = stack.use(await startVendor("openai"));
  apiKey = vendor.samples.credentials["apiKey"] ?? "";
  const api = apiOf(platform.url, platform.keys.dev);
  await api("POST", "/integrations", {
    body: { ...describeIntegration(vendor), unique_key: "openai" },
  });
  await api("POST", "/connections", {
    body: {
      ...vendor.newConnection(),
      ...{ provider_config_key: "openai", connection_id: "acme", tags: { end_user_id: "u1" } },
    },
  });
  await writeFile(join(folder, "go.mod"), "module example.com/app\n\ngo 1.18\n");
});
afterAll(async () => await stack.disposeAsync());

/** Writes the client as the page says, and answers how a program that uses it is run. */
async function prepare(context: TestContext) {
  const go = requireTool("go", context);
  const env = { SVC_HOSTPORT: platform.url, SVC_SECRET_KEY_DEV: platform.keys.dev };
  const args = ["generate", "go-client"];
  const wrote = await runJackfield({ cwd: folder, args, env });
  const goEnv = {
    ...{ ...env, PATH: dirname(go), HOME: folder, GOFLAGS: "-mod=mod", GOPROXY: "off" },
    ...{ API_KEY: apiKey },
    GOCACHE: join(tmpdir(), "jackfield-go-cache"),
  };
  const run = async (...command: string[]) =>
    await promisify(execFile)(go, command, { cwd: folder, env: goEnv });
  return { wrote, run };
}

test("the page's program runs with the client that the command writes, and prints what the page shows", async (context) => {
  const { wrote, run } = await prepare(context);
  const page = await readFile(join(root, "docs/go.md"), "utf8");
  const [, program = ""] = /```go\n([\s\S]*?)```/.exec(page) ?? [];
  const [, wroteLine = ""] = /```text\n(Wrote .*)\n```/.exec(page) ?? [];
  const [, printed = ""] = /```sh\ngo run \.\n```\n\n```text\n([\s\S]*?)```/.exec(page) ?? [];
  await writeFile(join(folder, "main.go"), program);

  await run("vet", "./...");
  const { stdout } = await run("run", ".");

  expect(wrote.code, wrote.stderr).toBe(0);
  expect(wroteLine).toContain("methods");
  expect(isShown(wrote.stdout, wroteLine), wrote.stdout).toBe(true);
  expect(printed).toContain("not_found");
  expect(isShown(stdout, printed), stdout).toBe(true);
});

/** Whether a text is what a page shows, which has an ellipsis where anything may stand. */
function isShown(text: string, page: string): boolean {
  let at = 0;
  return page
    .trim()
    .split("…")
    .every((part) => {
      const found = text.indexOf(part, at);
      at = found + part.length;
      return found !== -1;
    });
}

const changes = `package main

import (
	"context"
	"encoding/json"
	"os"

	"example.com/app/jackfield"
)

func main() {
	ctx := context.Background()
	client := jackfield.NewClient(os.Getenv("SVC_HOSTPORT"), os.Getenv("SVC_SECRET_KEY_DEV"))
	said := map[string]any{}

	made, err := client.CreateConnection(ctx, nil, jackfield.NewConnection{
		ProviderConfigKey: "openai",
		ConnectionID:      jackfield.Ptr("made in Go/1"),
		Credentials:       map[string]string{"type": "API_KEY", "apiKey": os.Getenv("API_KEY")},
	})
	if err != nil {
		panic(err)
	}
	said["made"] = made.ConnectionID
	said["overrideIsNil"] = made.WebhookURLOverride == nil
	said["isRecent"] = !made.CreatedAt.IsZero()

	changed, err := client.UpdateConnection(ctx, "made in Go/1",
		&jackfield.UpdateConnectionParams{ProviderConfigKey: jackfield.Ptr("openai")},
		jackfield.ConnectionChange{Tags: map[string]string{"plan": "team"}})
	said["changed"] = err == nil && changed.Success
	read, err := client.GetConnection(ctx, "made in Go/1",
		&jackfield.GetConnectionParams{ProviderConfigKey: jackfield.Ptr("openai")})
	if err != nil {
		panic(err)
	}
	said["tags"] = read.Tags

	absent, _ := json.Marshal(jackfield.WebhookSettingsChange{})
	null, _ := json.Marshal(struct {
		Field *jackfield.Nullable[string] \`json:"field,omitempty"\`
	}{jackfield.Null[string]()})
	said["absent"], said["null"] = string(absent), string(null)

	_, err = jackfield.NewClient(client.BaseURL, "svc_key_none").ListConnections(ctx, nil)
	failed, isAnswer := err.(*jackfield.Error)
	said["refused"] = isAnswer && failed.Status == 401 && failed.Code != ""
	json.NewEncoder(os.Stdout).Encode(said)
}
`;

test("a Go program writes with typed bodies, leaves out what is not set, and gets errors by their code", async (context) => {
  const { run } = await prepare(context);
  await writeFile(join(folder, "main.go"), changes);

  const { stdout } = await run("run", ".");

  expect(JSON.parse(stdout)).toEqual({
    ...{ made: "made in Go/1", overrideIsNil: true, isRecent: true },
    ...{ changed: true, tags: { plan: "team" } },
    ...{ absent: "{}", null: '{"field":null}', refused: true },
  });
});
