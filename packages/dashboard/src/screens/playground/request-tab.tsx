import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextField } from "react-aria-components/TextField";
import { callApi } from "../../data/api.ts";
import { JsonInput, parseJson } from "../../parts/editor/json-input.tsx";
import { plainText } from "../../parts/formats.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { ConnectionPicker } from "./pickers.tsx";
import { ProviderAnswer } from "./provider-answer.tsx";
import { addTried, useTried } from "./run-history.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

type Method = (typeof methods)[number];

interface Draft {
  readonly method: Method;
  readonly path: string;
  readonly headers: string;
  readonly body: string;
}

const blank: Draft = { method: "GET", path: "/", headers: "", body: "" };

/** What a link asks for; it is sent by nothing but the button. */
function draftOf(words: {
  readonly method: string | undefined;
  readonly path: string | undefined;
}) {
  const method = methods.find((one) => one === words.method) ?? blank.method;
  return { ...blank, method, path: words.path ?? blank.path };
}

/** A call of the provider's API with the credentials of a connection. */
export function RequestTab() {
  const texts = useTextsOf(playgroundTexts);
  const { integration, connection, take, method, path } = useAddress().words;
  const taken = useTried().find(({ id, kind }) => kind === "request" && String(id) === take)?.input;
  return (
    <>
      <div className="filters">
        <ConnectionPicker setsIntegration />
      </div>
      {integration === undefined || connection === undefined ? (
        <Empty title={texts.chooseConnection} text={texts.chooseConnectionText} />
      ) : (
        <RequestPanel
          key={`${integration} ${connection} ${take} ${method} ${path}`}
          place={{ provider_config_key: integration, connection_id: connection }}
          taken={
            taken === undefined
              ? draftOf({ method, path })
              : { ...blank, ...Object(JSON.parse(taken)) }
          }
        />
      )}
    </>
  );
}

interface Place {
  readonly provider_config_key: string;
  readonly connection_id: string;
}

function RequestPanel({ place, taken }: { place: Place; taken: Draft }) {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment } = useEnvironment();
  const [draft, setDraft] = useState(taken);
  const { method, path } = draft;
  const headers = parseJson(draft.headers);
  const body = parseJson(draft.body);
  const isGood = path.startsWith("/") && !("fault" in headers) && !("fault" in body);
  const request = {
    ...place,
    method,
    path,
    ...("value" in headers && headers.value !== undefined
      ? { headers: Object(headers.value) }
      : {}),
    ...("value" in body && body.value !== undefined ? { body: body.value } : {}),
  };
  const send = useMutation({
    mutationFn: async () => {
      const entry = {
        environment,
        kind: "request",
        called: { tab: "request", integration: place.provider_config_key },
        title: `${method} ${path}`,
        connection: place.connection_id,
        input: JSON.stringify(draft),
      } as const;
      try {
        const { data } = await callApi("sendProxyRequest", { environment, body: request });
        addTried({ ...entry, isGood: data.status < 400 });
        return data;
      } catch (error) {
        addTried({ ...entry, isGood: false });
        throw error;
      }
    },
  });
  const node = `sendProxyRequest(${JSON.stringify(request, undefined, 2)})`;
  return (
    <div className="columns even">
      <Card
        title={texts.tabs.request}
        actions={
          <CodeButton
            examples={[
              curlOf("sendProxyRequest", environment, { body: request }),
              nodeOf(environment, node),
            ]}
          />
        }
      >
        <div className="stack padded">
          <DraftForm draft={draft} onChange={setDraft} />
          <SendButton
            method={method}
            connection={place.connection_id}
            isReady={isGood}
            isPending={send.isPending}
            onSend={() => send.mutate()}
          />
        </div>
      </Card>
      <ProviderAnswer error={send.error} answer={send.data} isPending={send.isPending} />
    </div>
  );
}

function DraftForm({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const texts = useTextsOf(playgroundTexts);
  const faultOf = (text: string) => {
    const parsed = parseJson(text);
    return "fault" in parsed ? texts.notJson(parsed.fault) : undefined;
  };
  return (
    <>
      <ChoiceInput
        label={texts.method}
        value={draft.method}
        choices={methods.map((id) => ({ id, text: id }))}
        onChange={(chosen) =>
          onChange({ ...draft, method: methods.find((one) => one === chosen) ?? "GET" })
        }
      />
      <TextField
        className="text-field"
        value={draft.path}
        onChange={(path) => onChange({ ...draft, path })}
        autoComplete="off"
      >
        <Label className="label">{texts.path}</Label>
        <Input className="input mono" spellCheck={false} />
        <Text slot="description" className="help">
          {texts.pathHelp}
        </Text>
      </TextField>
      <JsonInput
        label={texts.headers}
        value={draft.headers}
        onChange={(headers) => onChange({ ...draft, headers })}
        fault={faultOf(draft.headers)}
      />
      <p className="help">{texts.headersHelp}</p>
      {draft.method !== "GET" && draft.method !== "HEAD" && (
        <JsonInput
          label={texts.body}
          value={draft.body}
          onChange={(body) => onChange({ ...draft, body })}
          fault={faultOf(draft.body)}
        />
      )}
    </>
  );
}

/** In production what may change something is asked for twice. */
function SendButton({
  method,
  connection,
  isReady,
  isPending,
  onSend,
}: {
  method: Method;
  connection: string;
  isReady: boolean;
  isPending: boolean;
  onSend: () => void;
}) {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment, is_production: isProduction } = useEnvironment();
  const isHarmless = method === "GET" || method === "HEAD" || method === "OPTIONS";
  if (!isProduction || isHarmless) {
    return (
      <div className="row">
        <ScopedButton
          look="primary"
          scope="environment:proxy"
          isDisabled={!isReady}
          isPending={isPending}
          onPress={onSend}
        >
          {texts.send}
        </ScopedButton>
      </div>
    );
  }
  return (
    <div className="row">
      <ConfirmButton
        label={texts.send}
        title={texts.sendIn(environment)}
        look="primary"
        scope="environment:proxy"
        isDisabled={!isReady}
        text={texts.confirmSend(method, plainText(connection, 80))}
        confirm={texts.sendIn(environment)}
        onConfirm={async () => onSend()}
      />
    </div>
  );
}
