import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { stoppedQuery } from "../../data/agents/agent-sessions.ts";
import { deleteToolset, type Toolset, toolsetQuery } from "../../data/agents/toolsets.ts";
import { Badge } from "../../parts/badge.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatNumber } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { LinkTabs } from "../../parts/link-tabs.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { sessionsOf } from "../agent-sessions/session-words.ts";
import { StopButton } from "../agent-sessions/stop-button.tsx";
import { ConnectTab } from "./connect-tab.tsx";
import { ToolsetEditor } from "./editor/toolset-editor.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { toolsetPage, toolsetsPath, toolsetTabs, WRITE } from "./toolset-words.ts";
import { VersionsTab } from "./versions-tab.tsx";

/** One toolset: what agents have of it, its form, its versions, and how clients connect. */
export function ToolsetScreen() {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const values = usePathValues();
  const name = values["toolset"] ?? "";
  const tab = toolsetTabs.find((one) => one === values["tab"]) ?? "overview";
  const query = useQuery(toolsetQuery(environment, name));
  return (
    <DetailScreen
      query={query}
      title={(toolset) => toolset && name}
      goneTitle={texts.goneTitle}
      parent={{ text: texts.title, target: { to: toolsetsPath(environment) } }}
      badge={({ version }) => <Badge tone="idle">{texts.versionOf(version)}</Badge>}
      examples={[
        curlOf("getToolset", environment, { params: { name } }),
        nodeCall(environment, "toolsets.get", name),
        cliOf(`toolsets show ${quote(name)} --environment ${quote(environment)}`),
      ]}
      actions={(toolset) => <Actions toolset={toolset} />}
    >
      {(toolset) => (
        <>
          <LinkTabs
            tabs={toolsetTabs.map((id) => ({
              id,
              text: texts.tabs[id],
              target: toolsetPage(environment, name, id),
              isCurrent: id === tab,
            }))}
          />
          {tab === "overview" && <OverviewTab toolset={toolset} />}
          {tab === "edit" && <ToolsetEditor key={toolset.version} known={toolset} />}
          {tab === "versions" && <VersionsTab toolset={toolset} />}
          {tab === "connect" && <ConnectTab toolset={toolset} />}
        </>
      )}
    </DetailScreen>
  );
}

function Actions({ toolset: { name } }: { toolset: Toolset }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  return (
    <>
      <Go className="button" target={sessionsOf(environment, { toolset: name })}>
        {texts.sessions}
      </Go>
      <StopButton given={{ toolset: name }} />
      <DeleteToolset name={name} />
    </>
  );
}

/** Names what goes with the toolset; in production its name has to be typed. */
function DeleteToolset({ name }: { name: string }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment, is_production: isProduction } = useEnvironment();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label={texts.delete}
      title={texts.deleteTitle(name)}
      scope={WRITE}
      text={<DeleteText name={name} />}
      confirm={isProduction ? texts.inProduction(texts.delete, environment) : texts.delete}
      code={[
        curlOf("deleteToolset", environment, { params: { name } }),
        nodeCall(environment, "toolsets.delete", name),
        cliOf(`toolsets delete ${quote(name)} --environment ${quote(environment)}`),
      ]}
      typed={isProduction ? { label: texts.typeName(name), text: name } : undefined}
      onConfirm={async () => {
        await deleteToolset(environment, name);
        await navigate({ to: toolsetsPath(environment) });
      }}
    />
  );
}

function DeleteText({ name }: { name: string }) {
  const { shell } = useTexts();
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const { data } = useQuery(stoppedQuery(environment, { toolset: name }));
  if (data === undefined) return shell.loading;
  const open = texts.openSessions(formatNumber(data.data.length), data.next_cursor !== null);
  return texts.deleteText(open);
}
