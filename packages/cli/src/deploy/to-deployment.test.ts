import { beforeAll, expect, test } from "vitest";
import { type BuiltFunction, buildProject } from "../project/build-project.ts";
import { createProject } from "../project/create-project.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import { exitCodes } from "../user-error.ts";
import { toDeployment } from "./to-deployment.ts";

const everything = { integration: undefined, sync: undefined, action: undefined };
let functions: readonly BuiltFunction[];

beforeAll(async () => {
  await using folder = await createTestFolder();
  await createProject(folder.path);
  functions = (await buildProject(folder.path)).functions;
});

test("deploys one function without touching any other", () => {
  const body = toDeployment(functions, { ...everything, action: "create-contact" });

  expect(body).toMatchObject({ deployMode: "single", reconcile: false });
  expect(body.flowConfigs.map(({ syncName }) => syncName)).toEqual(["create-contact"]);
});

test("deploys one integration and reconciles within it", () => {
  const others = functions.map((fn) => ({ ...fn, integrationId: "erp" }));

  const body = toDeployment([...functions, ...others], { ...everything, integration: "erp" });

  expect(body).toMatchObject({ deployMode: "integration", reconcile: true });
  expect(new Set(body.flowConfigs.map((flow) => flow.providerConfigKey))).toEqual(new Set(["erp"]));
});

test("names what there is when the selection matches nothing", () => {
  const select = () => toDeployment(functions, { ...everything, sync: "create-contact" });

  expect(select).toThrow(/nothing for the sync create-contact.*\n {2}crm\/syncs\/contacts/);
  expect(select).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }));
});

test("asks for the integration when a function's name is in several", () => {
  const others = functions.map((fn) => ({ ...fn, integrationId: "erp" }));
  const select = () => toDeployment([...functions, ...others], { ...everything, sync: "contacts" });

  expect(select).toThrow("in several integrations (crm, erp): add --integration <id>");
});

test("groups on-event functions by integration", () => {
  const onEvents = functions.map((fn): BuiltFunction => {
    const { description, features, definitions, scopes } = fn.description;
    const event = "validate-connection";
    const described = { description, features, definitions, scopes };
    return { ...fn, description: { ...described, type: "on-event", event } };
  });

  const body = toDeployment(onEvents, everything);

  expect(body.flowConfigs).toEqual([]);
  expect(body.onEventScriptsByProvider).toMatchObject([
    {
      providerConfigKey: "crm",
      scripts: [{ name: "contacts", event: "validate-connection" }, { name: "create-contact" }],
    },
  ]);
});
