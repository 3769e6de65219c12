import type { DevChoice, DevFunction, DevState } from "@jackfield/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextField } from "react-aria-components/TextField";
import { fieldsOf, schemaOf } from "../data/functions/json-schema.ts";
import { plainText } from "../parts/formats.ts";
import { Card } from "../parts/panels/card.tsx";
import { InputControls, useInput } from "../screens/playground/input-controls.tsx";
import { devTexts } from "../texts/screens/dev.ts";
import { playgroundTexts } from "../texts/screens/functions/playground.ts";
import { useTextsOf } from "../texts/use-texts.ts";
import { devConnectionsQuery, runChoice, stopRun } from "./dev-api.ts";
import { WebhookInput } from "./webhook-input.tsx";

/** What the chosen function runs with. */
export function ChoiceCard({ own, state }: { own: DevFunction; state: DevState }) {
  const texts = useTextsOf(devTexts);
  const playground = useTextsOf(playgroundTexts);
  const before = state.choice?.file === own.file ? state.choice : undefined;
  const [connection, setConnection] = useState(before?.connection ?? "");
  const whole = { definitions: own.definitions };
  const schema = schemaOf(whole, own.input);
  const fields = fieldsOf(whole, schema);
  const taken =
    before?.input === undefined ? undefined : JSON.stringify(before.input, undefined, 2);
  const input = useInput(fields, taken);
  const [wantsWebhook, setWantsWebhook] = useState(before?.kind === "webhook");
  const body = useInput([], before?.kind === "webhook" ? taken : undefined);
  const isWebhook = own.takesWebhooks === true && wantsWebhook;
  const takesInput = own.type === "action" && own.input !== undefined && schema !== undefined;
  const used = isWebhook ? body : takesInput ? input : undefined;
  const isGood = used === undefined || used.isGood;
  const choice: DevChoice = {
    file: own.file,
    ...(connection.trim() === "" ? {} : { connection: connection.trim() }),
    ...(isWebhook ? { kind: "webhook" } : {}),
    ...(used?.value === undefined ? {} : { input: used.value }),
  };
  return (
    <Card
      title={plainText(own.name, 80)}
      actions={<span className="soft mono">{plainText(own.file, 120)}</span>}
    >
      <form
        className="stack padded"
        onSubmit={(event) => {
          event.preventDefault();
          if (isGood) void runChoice(choice);
        }}
      >
        {own.description !== undefined && <p>{plainText(own.description, 400)}</p>}
        <ConnectionInput
          integration={own.integration}
          value={connection}
          onChange={setConnection}
        />
        {own.takesWebhooks === true && (
          <WebhookInput isWebhook={isWebhook} onChange={setWantsWebhook} body={body} />
        )}
        {takesInput && <InputControls fields={fields} input={input} />}
        {!takesInput && !isWebhook && <p className="soft">{playground.noInput}</p>}
        <div className="row">
          <Button type="submit" className="button primary" data-shortcut="r" isDisabled={!isGood}>
            {texts.run}
          </Button>
          {state.activity === "running" && (
            <Button className="button" onPress={() => void stopRun()}>
              {texts.stop}
            </Button>
          )}
        </div>
        <p className="soft">{texts.dryRunHelp}</p>
        {state.refusal !== undefined && before !== undefined && (
          <section className="banner bad column" role="alert">
            <strong>{texts.notStarted}</strong>
            <p>{plainText(state.refusal, 2000)}</p>
          </section>
        )}
      </form>
    </Card>
  );
}

function ConnectionInput({
  integration,
  value,
  onChange,
}: {
  integration: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const texts = useTextsOf(devTexts);
  const known = useQuery(devConnectionsQuery(integration)).data ?? [];
  const listId = useId();
  return (
    <TextField className="text-field" value={value} onChange={onChange} autoComplete="off">
      <Label className="label">{texts.connection}</Label>
      <Input className="input" list={listId} />
      <datalist id={listId}>
        {known.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <Text slot="description" className="help">
        {texts.connectionHelp}
      </Text>
    </TextField>
  );
}
