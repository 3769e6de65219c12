import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../../data/api.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatNumber } from "../../../parts/formats.ts";
import { LinkTabs } from "../../../parts/link-tabs.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { curlOf } from "../../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { TextView } from "../../../parts/panels/json-view.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useAddress } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { webhookTexts } from "../../../texts/environment/webhooks.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { hexLines, textOf } from "./body-bytes.ts";

/** The body of a received webhook, which is read when somebody asks for it, and how a key reads it. */
export function InboundBody({ id }: { id: string }) {
  const { webhooks } = useTexts();
  const texts = useTextsOf(webhookTexts);
  const { name: environment } = useEnvironment();
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: async () => {
      const call = { environment, params: { id } };
      const { base64, ...rest } = (await callApi("revealInboundWebhookBody", call)).data;
      return { ...rest, bytes: Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)) };
    },
    // Nothing keeps the answer once it is hidden.
    gcTime: 0,
  });
  const command = curlOf("getInboundWebhookBody", environment, { params: { id } }).text;
  return (
    <Card
      title={webhooks.bodyTitle}
      actions={
        data !== undefined && (
          <Button className="button small" onPress={reset}>
            {texts.hide}
          </Button>
        )
      }
    >
      {error !== null && <FaultBanner error={error} />}
      {data === undefined ? (
        <div className="stack padded">
          <p className="soft">{texts.revealText}</p>
          <div className="row">
            <ScopedButton
              scope="environment:secrets:reveal"
              isPending={isPending}
              onPress={() => mutate()}
            >
              {texts.reveal}
            </ScopedButton>
          </div>
        </div>
      ) : (
        <Bytes {...data} />
      )}
      <p className="soft padded">{texts.withKey}</p>
      <pre className="code">{command}</pre>
    </Card>
  );
}

function Bytes({
  bytes,
  size,
  is_cut: isCut,
}: {
  bytes: Uint8Array;
  size: number;
  is_cut: boolean;
}) {
  const { webhooks } = useTexts();
  const texts = useTextsOf(webhookTexts);
  const { words } = useAddress();
  const text = textOf(bytes, isCut);
  const isHex = words["body"] === "hex" || text === undefined;
  const hex = hexLines(bytes);
  const shown = isHex ? hex.bytes : bytes.length;
  if (size === 0) return <p className="soft padded">{texts.emptyBody}</p>;
  return (
    <div className="stack">
      <div className="row padded">
        <LinkTabs
          tabs={(["text", "hex"] as const).map((one) => ({
            id: one,
            text: one === "text" ? texts.asText : texts.asHex,
            target: { to: ".", search: { ...words, body: one === "hex" ? "hex" : undefined } },
            isCurrent: isHex === (one === "hex"),
          }))}
        />
        <CopyButton isSmall text={() => (isHex ? hex.text : (text ?? ""))} />
      </div>
      {text === undefined && <p className="soft padded">{texts.noText}</p>}
      {shown < size && (
        <p className="soft padded">{texts.firstBytes(formatNumber(shown), formatNumber(size))}</p>
      )}
      <TextView label={webhooks.bodyTitle} text={isHex ? hex.text : (text ?? "")} />
    </div>
  );
}
