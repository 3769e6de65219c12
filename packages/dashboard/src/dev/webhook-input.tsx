import { JsonInput } from "../parts/editor/json-input.tsx";
import { SingleSelect } from "../parts/filters/single-select.tsx";
import type { useInput } from "../screens/playground/input-controls.tsx";
import { devTexts } from "../texts/screens/dev.ts";
import { playgroundTexts } from "../texts/screens/functions/playground.ts";
import { useTextsOf } from "../texts/use-texts.ts";

/** Of a sync with `onWebhook`: whether it runs as on its schedule or with a webhook, and the body of that. */
export function WebhookInput({
  isWebhook,
  onChange,
  body,
}: {
  isWebhook: boolean;
  onChange: (isWebhook: boolean) => void;
  body: ReturnType<typeof useInput>;
}) {
  const texts = useTextsOf(devTexts);
  const playground = useTextsOf(playgroundTexts);
  return (
    <>
      <div className="row">
        <SingleSelect
          label={texts.starts}
          isLabelled
          chosen={isWebhook ? "webhook" : "schedule"}
          choices={[
            { id: "schedule", text: texts.schedule },
            { id: "webhook", text: texts.webhook },
          ]}
          onChange={(chosen) => onChange(chosen === "webhook")}
        />
      </div>
      {isWebhook && (
        <JsonInput
          label={texts.webhookBody}
          value={body.text}
          onChange={body.type}
          fault={body.fault === undefined ? undefined : playground.notJson(body.fault)}
        />
      )}
    </>
  );
}
