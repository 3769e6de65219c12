import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextField } from "react-aria-components/TextField";
import { callApi } from "../../data/api.ts";
import { type Integration, integrationQuery } from "../../data/integrations.ts";
import { queryClient } from "../../data/query-client.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

type Rules = NonNullable<NonNullable<Integration["settings"]>["webhooks"]>;
type Rule = NonNullable<Rules["match"]>[number];

/** What a webhook has that rules can name; its body is not shown to pages. */
export interface NamedPlaces {
  readonly values: readonly string[];
  readonly properties: readonly string[];
}

/** Opens the editor of how an integration's webhooks find their connection. */
export function WebhookRulesButton({
  label,
  integration,
  places = noPlaces,
  onSaved,
}: {
  label: string;
  integration: string;
  places?: NamedPlaces;
  /** What follows, such as reading a webhook again. */
  onSaved?: () => Promise<unknown>;
}) {
  const { webhooks: texts } = useTexts();
  return (
    <DialogButton
      label={label}
      title={texts.rulesOf(integration)}
      scope="environment:integrations:update"
      isWide
    >
      {(close) => (
        <RulesLoader
          integration={integration}
          places={places}
          onSaved={async () => {
            await onSaved?.();
            close();
          }}
        />
      )}
    </DialogButton>
  );
}

const noPlaces: NamedPlaces = { values: [], properties: [] };

interface EditorProps {
  readonly integration: string;
  readonly places: NamedPlaces;
  readonly onSaved: () => Promise<unknown>;
}

function RulesLoader(props: EditorProps) {
  const { shell } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(integrationQuery(environment, props.integration));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <p role="status">{shell.loading}</p>;
  return <RulesForm {...props} rules={query.data.settings?.webhooks ?? {}} />;
}

const MOST_RULES = 10;
const blank: Rule = { value: "", property: "" };

function RulesForm({ integration, places, onSaved, rules }: EditorProps & { rules: Rules }) {
  const { webhooks: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const [match, setMatch] = useState(rules.match?.length ? rules.match : [blank]);
  const [type, setType] = useState(rules.type ?? "");
  const [eventId, setEventId] = useState(rules.event_id ?? "");
  const ids = { values: useId(), properties: useId() };
  const save = useMutation({
    mutationFn: async () => {
      const webhooks = {
        match: match.filter(({ value, property }) => value !== "" || property !== ""),
        ...(type === "" ? {} : { type }),
        ...(eventId === "" ? {} : { event_id: eventId }),
      };
      const body = Object({ settings: { webhooks } });
      const params = { uniqueKey: integration };
      await callApi("updateIntegration", { environment, params, body });
      await queryClient.invalidateQueries({ queryKey: ["integration", environment, integration] });
      await onSaved();
    },
  });
  const change = (place: number, changed: Partial<Rule>) =>
    setMatch(match.map((rule, index) => (index === place ? { ...rule, ...changed } : rule)));
  return (
    <ApiForm className="stack" error={save.error} onSend={() => save.mutate()}>
      <p className="soft">{texts.rulesText}</p>
      <Suggestions id={ids.values} of={places.values} />
      <Suggestions id={ids.properties} of={places.properties} />
      <ol className="rules">
        {match.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id but their place
          <li key={index} className="rule">
            <Place
              label={texts.ruleValue(index + 1)}
              value={rule.value}
              list={ids.values}
              onChange={(value) => change(index, { value })}
            />
            <Place
              label={texts.ruleProperty(index + 1)}
              value={rule.property}
              list={ids.properties}
              onChange={(property) => change(index, { property })}
            />
            <Button
              className="button small"
              aria-label={texts.removeRule(index + 1)}
              onPress={() => setMatch(match.filter((_, place) => place !== index))}
            >
              <span aria-hidden="true">✕</span>
            </Button>
          </li>
        ))}
      </ol>
      <div className="row">
        <Button
          className="button small"
          isDisabled={match.length >= MOST_RULES}
          onPress={() => setMatch([...match, blank])}
        >
          {texts.addRule}
        </Button>
      </div>
      <Place
        label={texts.ruleType}
        help={texts.ruleTypeHelp}
        value={type}
        list={ids.values}
        onChange={setType}
      />
      <Place
        label={texts.ruleEventId}
        help={texts.ruleEventIdHelp}
        value={eventId}
        list={ids.values}
        onChange={setEventId}
      />
      <div className="row">
        <ScopedButton
          scope="environment:integrations:update"
          type="submit"
          look="primary"
          isPending={save.isPending}
        >
          {tables.save}
        </ScopedButton>
      </div>
    </ApiForm>
  );
}

function Suggestions({ id, of }: { id: string; of: readonly string[] }) {
  return (
    <datalist id={id}>
      {of.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

function Place({
  label,
  help,
  value,
  list,
  onChange,
}: {
  label: string;
  help?: string;
  value: string;
  /** Id of the suggestions. */
  list: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextField className="text-field" value={value} onChange={onChange} autoComplete="off">
      <Label className="label">{label}</Label>
      <Input className="input mono" list={list} spellCheck={false} />
      {help !== undefined && (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
    </TextField>
  );
}
