import { useQuery } from "@tanstack/react-query";
import { inboundQuery } from "../../../data/environment/webhooks.ts";
import { DetailScreen } from "../../../parts/detail-screen.tsx";
import { curlOf, nodeOf } from "../../../parts/panels/code-panel.tsx";
import { usePathValues } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { inboxPath } from "../webhook-words.ts";
import { InboundDetail } from "./inbound-detail.tsx";

/** One webhook of a provider as a page. */
export function InboundScreen() {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { webhookId: id = "" } = usePathValues();
  return (
    <DetailScreen
      query={useQuery(inboundQuery(environment, id))}
      title={(inbound) => inbound && texts.inboundTitle(inbound.provider_config_key ?? "")}
      goneTitle={texts.goneTitle}
      parent={{ text: texts.inTitle, target: { to: inboxPath(environment) } }}
      examples={[
        curlOf("getInboundWebhook", environment, { params: { id } }),
        nodeOf(environment, `inbox.get(${JSON.stringify(id)})`),
      ]}
    >
      {(inbound) => (
        <div className="stack measure">
          <InboundDetail inbound={inbound} />
        </div>
      )}
    </DetailScreen>
  );
}
