import { useMutation } from "@tanstack/react-query";
import {
  changeDestination,
  type Destination,
  deleteDestination,
  restartDestination,
} from "../../data/records/destinations.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { destinationTexts } from "../../texts/screens/destinations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { ChangeDestination } from "./change-destination.tsx";
import { DestinationBadge, lagText, tableOf } from "./destination-columns.tsx";

const WRITE = "environment:destinations:write";

/** One destination next to the list: how far it is, why it fails, and what can be done. */
export function DestinationDrawer({
  destination,
  onClose,
  onStep,
}: {
  destination: Destination;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const texts = useTextsOf(destinationTexts);
  const may = useMay(WRITE);
  return (
    <Drawer title={plainText(destination.name, 60)} onClose={onClose} onStep={onStep}>
      <p className="padded">
        <DestinationBadge destination={destination} texts={texts} />
      </p>
      <Trouble destination={destination} />
      <Actions destination={destination} onDeleted={onClose} />
      <About destination={destination} />
      {may && <ChangeDestination destination={destination} />}
    </Drawer>
  );
}

/** Why nothing is delivered, in the words of the database or of the rule. */
function Trouble({ destination }: { destination: Destination }) {
  const texts = useTextsOf(destinationTexts);
  const {
    state,
    pause_reason: reason,
    last_error: error,
    failures,
    failing_since: since,
  } = destination;
  if (reason === "restored_copy") return <p className="banner warn">{texts.copyText}</p>;
  if (state !== "failing" || error === null) return null;
  return (
    <section className="banner bad column">
      <strong>
        {texts.failed(formatNumber(failures))} · {plainText(error.code)}
      </strong>
      <p>{plainText(error.message, 1000)}</p>
      <p>
        {since !== null && (
          <>
            {texts.since} <Time at={since} />.{" "}
          </>
        )}
        {texts.failedText}
      </p>
    </section>
  );
}

function Actions({ destination, onDeleted }: { destination: Destination; onDeleted: () => void }) {
  const texts = useTextsOf(destinationTexts);
  const { name: environment } = useEnvironment();
  const { id, state, name } = destination;
  const table = plainText(tableOf(destination), 140);
  const codeOf = (action: "restart" | "delete") => [
    curlOf(`${action}RecordDestination`, environment, { params: { destinationId: id } }),
    nodeCall(environment, `destinations.${action}`, id),
    cliOf(`destinations ${action} ${quote(name)} --environment ${quote(environment)}`),
  ];
  const set = useMutation({
    mutationFn: async (paused: boolean) => await changeDestination(environment, id, { paused }),
  });
  return (
    <>
      {set.isError && <FaultBanner error={set.error} />}
      <div className="row padded">
        {state === "failing" && (
          <ScopedButton
            scope={WRITE}
            look="primary"
            isPending={set.isPending}
            onPress={() => set.mutate(false)}
          >
            {texts.tryNow}
          </ScopedButton>
        )}
        <ScopedButton
          scope={WRITE}
          isPending={set.isPending}
          onPress={() => set.mutate(state !== "paused")}
        >
          {state === "paused" ? texts.resume : texts.pause}
        </ScopedButton>
        <ConfirmButton
          label={texts.restart}
          scope={WRITE}
          look=""
          text={texts.restartText(table)}
          confirm={texts.restartIn(environment)}
          code={codeOf("restart")}
          onConfirm={async () => await restartDestination(environment, id)}
        />
        <ConfirmButton
          label={texts.delete}
          title={texts.deleteTitle}
          scope={WRITE}
          text={texts.deleteText(plainText(name, 100), table)}
          confirm={texts.deleteIn(environment)}
          code={codeOf("delete")}
          onConfirm={async () => {
            await deleteDestination(environment, id);
            onDeleted();
          }}
        />
      </div>
    </>
  );
}

function About({ destination }: { destination: Destination }) {
  const texts = useTextsOf(destinationTexts);
  const { models, integrations, last_delivered_at: last, next_attempt_at: next } = destination;
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [
            texts.address,
            <span key="address" className="mono">
              {plainText(destination.address, 300)}
            </span>,
          ],
          [
            texts.place,
            <span key="table" className="mono">
              {plainText(tableOf(destination), 140)}
            </span>,
          ],
          [texts.models, plainText((models ?? [texts.all]).join(", "), 2000)],
          [texts.integrations, plainText((integrations ?? [texts.all]).join(", "), 2000)],
          [texts.delivered, texts.deliveredText(formatNumber(destination.delivered))],
          [texts.lastDelivered, last === null ? texts.never : <Time key="last" at={last} />],
          [texts.lag, lagText(destination, texts)],
          [texts.next, next && <Time at={next} />],
          [texts.created, <Time key="created" at={destination.created_at} />],
          [texts.changed, <Time key="changed" at={destination.updated_at} />],
        ]}
      />
    </Card>
  );
}
