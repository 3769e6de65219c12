import { useQuery } from "@tanstack/react-query";
import {
  callOfFunction,
  type DeployedFunction,
  type FunctionName,
  functionCodeQuery,
  functionQuery,
} from "../../data/functions/functions.ts";
import { Badge } from "../../parts/badge.tsx";
import { CodeView } from "../../parts/code/code-view.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useAddress, usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { functionPageTexts } from "../../texts/functions/function-page.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { EgressTab } from "./egress-tab.tsx";
import { EnableButton } from "./enable-button.tsx";
import { lineOf, pageOf, playgroundOf, runsOf } from "./function-words.ts";
import { OverviewTab } from "./overview-tab.tsx";
import { VersionsTab } from "./versions-tab.tsx";

const tabs = ["overview", "code", "egress", "versions"] as const;

/** One deployed function: what it takes and gives, its source, and its versions. */
export function FunctionScreen() {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const values = usePathValues();
  const name = {
    integration: values["integration"] ?? "",
    type: values["type"] ?? "",
    name: values["name"] ?? "",
  };
  const tab = tabs.find((one) => one === values["tab"]) ?? "overview";
  const query = useQuery(functionQuery(environment, name));
  const call = callOfFunction(name);
  return (
    <DetailScreen
      query={query}
      title={() => `${plainText(name.name, 80)} · ${plainText(name.integration, 60)}`}
      parent={{
        text: texts.title,
        target: { to: `${homeOf(environment)}/functions` },
      }}
      badge={(own) => (
        <Badge tone={own.enabled ? "good" : "idle"}>
          {`${texts.types[own.type]} · ${own.enabled ? texts.enabled : texts.disabled}`}
        </Badge>
      )}
      examples={[
        curlOf("getFunction", environment, call),
        nodeOf(
          environment,
          `functions.get(${JSON.stringify({ uniqueKey: name.integration, name: name.name, type: name.type })})`,
        ),
        cliOf(
          `pull ${quote(name.integration)} ${quote(name.name)} --${name.type} --environment ${quote(environment)}`,
        ),
      ]}
      actions={(own) => <Actions own={own} name={name} />}
    >
      {(own) => (
        <>
          <div className="tabs">
            {tabs.map((one) => (
              <Go
                key={one}
                className="tab"
                target={pageOf(environment, name, one)}
                aria-current={one === tab ? "page" : undefined}
              >
                {texts.tabs[one]}
              </Go>
            ))}
          </div>
          {tab === "overview" && <OverviewTab own={own} name={name} />}
          {tab === "code" && <CodeTab name={name} />}
          {tab === "egress" && <EgressTab own={own} name={name} />}
          {tab === "versions" && <VersionsTab name={name} />}
        </>
      )}
    </DetailScreen>
  );
}

function Actions({ own, name }: { own: DeployedFunction; name: FunctionName }) {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <>
      <Go className="button" target={runsOf(environment, name)}>
        {texts.runsOf}
      </Go>
      {own.type !== "on-event" && (
        <Go className="button" target={playgroundOf(environment, name)}>
          {texts.tryIt}
        </Go>
      )}
      <EnableButton own={own} name={name} />
    </>
  );
}

function CodeTab({ name }: { name: FunctionName }) {
  const { functions: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const words = useTextsOf(functionPageTexts);
  const { line } = useAddress().words;
  const query = useQuery(functionCodeQuery(environment, name));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <p role="status">{shell.loading}</p>;
  return (
    <div className="card">
      <CodeView
        code={query.data}
        label={texts.code(plainText(name.name, 80))}
        links={{
          chosen: line === undefined ? undefined : Number(line),
          targetOf: (number) => lineOf(environment, name, number),
          labelOf: words.line,
        }}
      />
    </div>
  );
}
