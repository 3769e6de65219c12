import { useQuery } from "@tanstack/react-query";
import { deliveryQuery } from "../../../data/environment/webhooks.ts";
import { DetailScreen } from "../../../parts/detail-screen.tsx";
import { curlOf, nodeOf } from "../../../parts/panels/code-panel.tsx";
import { usePathValues } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { deliveriesPath } from "../webhook-words.ts";
import { DeliveryDetail } from "./delivery-detail.tsx";

/** One webhook as a page. */
export function DeliveryScreen() {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { deliveryId: id = "" } = usePathValues();
  return (
    <DetailScreen
      query={useQuery(deliveryQuery(environment, id))}
      title={(delivery) => delivery && texts.deliveryTitle(texts.types[delivery.type])}
      goneTitle={texts.goneTitle}
      parent={{ text: texts.outTitle, target: { to: deliveriesPath(environment) } }}
      examples={[
        curlOf("getWebhookDelivery", environment, { params: { id } }),
        nodeOf(environment, `webhookDeliveries.get(${JSON.stringify(id)})`),
      ]}
    >
      {(delivery) => (
        <div className="stack measure">
          <DeliveryDetail delivery={delivery} />
        </div>
      )}
    </DetailScreen>
  );
}
