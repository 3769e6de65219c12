import { expect, test } from "vitest";
import { newAction, newOnEvent, newUpload } from "../testing/index.ts";
import { checkDeployment } from "./check-deployment.ts";

/** Nothing here names a host. */
const openHosts = { http: { isOpened: () => true } };

test.each([
  'var import_soap = __toESM(require("soap"));',
  "const soap = require('soap');",
  'require("soap");',
])("a bundle that requires what no function has is refused by its name: %s", async (line) => {
  const fileBody = { js: `"use strict";\n${line}\nmodule.exports = {};`, ts: "" };
  const onEvent = newOnEvent("watch");
  const scripts = onEvent.scripts.map((script) => ({ ...script, fileBody }));
  const ofAction = newUpload({ flowConfigs: [newAction("send", { fileBody })] });
  const ofEvent = newUpload({ onEventScriptsByProvider: [{ ...onEvent, scripts }] });

  await expect(checkDeployment(openHosts, ofAction)).rejects.toThrow(
    /The action "send" of integration "crm" requires "soap"/,
  );
  await expect(checkDeployment(openHosts, ofEvent)).rejects.toThrow(
    /The on-event function "watch" .* requires "soap"/,
  );
});

test("a bundle may require what functions have, and what it may never come to", async () => {
  const js = `var import_zod = require("zod");
var z = __toESM(require("zod/v4"));
var import_crypto = require("node:crypto");
var import_url = require("url");
const text = "require('soap')"; // require("soap")
function later() { try { return require("soap"); } catch { return undefined; } }
module.exports = {};`;
  const upload = newUpload({ flowConfigs: [newAction("send", { fileBody: { js, ts: "" } })] });

  await expect(checkDeployment(openHosts, upload)).resolves.toBeUndefined();
});
