import { useQuery } from "@tanstack/react-query";
import { budgets, settingsOf } from "../../data/agents/toolset-draft.ts";
import { previewQuery, type Toolset } from "../../data/agents/toolsets.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { PreviewCost } from "./preview-cost.tsx";
import { ToolsTable } from "./tools-table.tsx";
import { integrationPage } from "./toolset-words.ts";
import { integrationsOf } from "./toolsets-screen.tsx";

/** What agents have of the toolset now. */
export function OverviewTab({ toolset }: { toolset: Toolset }) {
  const { shell } = useTexts();
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(previewQuery(environment, settingsOf(toolset)));
  return (
    <div className="columns">
      <div className="stack">
        <Card title={texts.tools}>
          {query.isError && (
            <FaultBanner error={query.error} onRetry={() => void query.refetch()} />
          )}
          {query.isLoading && (
            <p role="status" className="padded">
              {shell.loading}
            </p>
          )}
          {query.data !== undefined && <ToolsTable preview={query.data} />}
        </Card>
      </div>
      <div className="stack">
        {query.data !== undefined && (
          <Card title={texts.preview}>
            <PreviewCost preview={query.data} />
          </Card>
        )}
        <About toolset={toolset} />
        {toolset.policy !== undefined && (
          <Card title={texts.policyTitle}>
            <JsonView label={texts.policyTitle} value={toolset.policy} />
          </Card>
        )}
        {toolset.api !== undefined && (
          <Card title={texts.apiTitle}>
            <JsonView label={texts.apiTitle} value={toolset.api} />
          </Card>
        )}
      </div>
    </div>
  );
}

function About({ toolset }: { toolset: Toolset }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const { policy, budget = {}, authorization } = toolset;
  const limits = budgets.flatMap((key) => {
    const most = budget[key];
    return most === undefined ? [] : [`${formatNumber(most)} ${texts.budgetWords[key]}`];
  });
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [texts.description, plainText(toolset.description, 500)],
          [
            texts.integrations,
            <span className="row" key="integrations">
              {integrationsOf(toolset).map((key) => (
                <Go key={key} target={integrationPage(environment, key)}>
                  {plainText(key, 60)}
                </Go>
              ))}
            </span>,
          ],
          [texts.mode, texts.modes[toolset.mode]],
          [texts.policy, texts.presets[policy?.preset ?? "none"]],
          [texts.approver, policy !== undefined && texts.approvers[policy.approver ?? "operator"]],
          [texts.budget, limits.length === 0 ? texts.noBudget : limits.join(", ")],
          [texts.clients, texts.authorizations[authorization?.mode ?? "none"]],
          [texts.changed, <Time key="changed" at={toolset.created_at} />],
        ]}
      />
    </Card>
  );
}
