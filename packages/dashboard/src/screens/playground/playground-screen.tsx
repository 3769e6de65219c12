import { referenceOf } from "../../data/syncs.ts";
import { Go } from "../../parts/go.tsx";
import {
  CodeButton,
  cliOf,
  curlOf,
  nodeCall,
  nodeOf,
  quote,
} from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { FunctionTab } from "./function-tab.tsx";
import { HistoryCard } from "./history-card.tsx";
import { RequestTab } from "./request-tab.tsx";

const tabs = ["function", "request"] as const;

/** Functions and calls of a provider's API, tried by hand. */
export function PlaygroundScreen() {
  const texts = useTextsOf(playgroundTexts);
  const { words } = useAddress();
  const tab = tabs.find((one) => one === words["tab"]) ?? "function";
  const { name: environment } = useEnvironment();
  const { integration, function: name, type, variant = "base", connection } = words;
  const place = {
    provider_config_key: integration ?? "<integration>",
    connection_id: connection ?? "<connection>",
  };
  const functionExamples = () => {
    if (integration === undefined || name === undefined) {
      const list = curlOf("listEnvironmentFunctions", environment);
      return [list, nodeOf(environment, "functions.listAll()")];
    }
    const id = connection ?? "<connection>";
    const given = { providerConfigKey: integration, connectionId: id };
    const where = `--environment ${quote(environment)}`;
    const called = `trigger ${quote(`${integration}/${name}`)} ${quote(id)}`;
    if (type === "sync") {
      const syncs = [referenceOf({ name, variant })];
      return [
        curlOf("triggerSyncs", environment, { body: Object({ ...place, syncs }) }),
        nodeCall(environment, "syncs.trigger", { ...given, syncs }),
        // The command runs the sync itself, not a variant of it.
        ...(variant === "base" ? [cliOf(`${called} --sync ${where}`)] : []),
      ];
    }
    return [
      curlOf("triggerAction", environment, { body: { ...place, action_name: name } }),
      nodeCall(environment, "actions.trigger", { ...given, action: name }),
      cliOf(`${called} --action ${where}`),
    ];
  };
  const requestExamples = () => {
    const request = { ...place, method: "GET", path: "/" } as const;
    return [
      curlOf("sendProxyRequest", environment, { body: request }),
      nodeOf(environment, `sendProxyRequest(${JSON.stringify(request, undefined, 2)})`),
    ];
  };
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton examples={tab === "function" ? functionExamples() : requestExamples()} />
      </ScreenHead>
      <div className="page-scroll">
        <div className="tabs">
          {tabs.map((one) => (
            <Go
              key={one}
              className="tab"
              target={{ to: ".", search: { ...words, tab: one === "function" ? undefined : one } }}
              aria-current={one === tab ? "page" : undefined}
            >
              {texts.tabs[one]}
            </Go>
          ))}
        </div>
        {tab === "function" ? <FunctionTab /> : <RequestTab />}
        <HistoryCard />
      </div>
    </>
  );
}
