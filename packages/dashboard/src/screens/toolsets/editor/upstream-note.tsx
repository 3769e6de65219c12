import { useQuery } from "@tanstack/react-query";
import { upstreamSummaryQuery } from "../../../data/environment/upstreams.ts";
import { formatNumber } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { integrationPage } from "../toolset-words.ts";

/** How many tools of another MCP server the integration has, and how many wait for a decision. */
export function UpstreamNote({ integration }: { integration: string }) {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const { data: upstream } = useQuery(upstreamSummaryQuery(environment, integration));
  if (upstream === undefined || upstream === null) return null;
  const { tools, failure } = upstream;
  const waiting = tools.new + tools.changed;
  return (
    <p className={waiting > 0 || failure !== null ? "warn-text" : "soft"}>
      {texts.upstream(formatNumber(tools.allowed), formatNumber(waiting))}{" "}
      {failure !== null && `${texts.upstreamFailure} `}
      <Go target={integrationPage(environment, integration)}>{texts.decide}</Go>
    </p>
  );
}
