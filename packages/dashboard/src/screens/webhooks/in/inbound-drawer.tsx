import { useQuery } from "@tanstack/react-query";
import { inboundQuery } from "../../../data/environment/webhooks.ts";
import { plainText } from "../../../parts/formats.ts";
import { QueryDrawer } from "../../../parts/panels/query-drawer.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { inboundPage } from "../webhook-words.ts";
import { InboundDetail } from "./inbound-detail.tsx";

/** One webhook of a provider next to the list. */
export function InboundDrawer({
  id,
  ...open
}: {
  id: string;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <QueryDrawer
      query={useQuery(inboundQuery(environment, id))}
      title={({ provider_config_key: key }) => plainText(texts.inboundTitle(key ?? ""), 60)}
      page={inboundPage(environment, id)}
      {...open}
    >
      {(inbound) => <InboundDetail inbound={inbound} />}
    </QueryDrawer>
  );
}
