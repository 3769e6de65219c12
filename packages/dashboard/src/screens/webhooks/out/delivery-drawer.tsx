import { useQuery } from "@tanstack/react-query";
import { deliveryQuery } from "../../../data/environment/webhooks.ts";
import { QueryDrawer } from "../../../parts/panels/query-drawer.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { deliveryPage } from "../webhook-words.ts";
import { DeliveryDetail } from "./delivery-detail.tsx";

/** One webhook next to the list. */
export function DeliveryDrawer({
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
      query={useQuery(deliveryQuery(environment, id))}
      title={({ type }) => texts.deliveryTitle(texts.types[type])}
      page={deliveryPage(environment, id)}
      {...open}
    >
      {(delivery) => <DeliveryDetail delivery={delivery} />}
    </QueryDrawer>
  );
}
