import { toFields } from "@jackfield/ui/form-fields.ts";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../../data/api.ts";
import {
  type Connection,
  type ConnectionName,
  callOfConnection,
} from "../../../data/connections.ts";
import { providerQuery } from "../../../data/integrations.ts";
import { queryClient } from "../../../data/query-client.ts";
import { plainText } from "../../../parts/formats.ts";
import { LinesInput, linesOf } from "../../../parts/forms/lines-input.tsx";
import { SaveForm } from "../../../parts/forms/save-form.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { SkeletonCard } from "../../../parts/panels/skeleton.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { connectionTexts } from "../../../texts/screens/connection.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { pairsOf, toPairLines } from "../connection-words.ts";
import { ProviderInput } from "../provider-input.tsx";

type Values = Readonly<Record<string, string>>;

/** Values that the provider's addresses and headers need; secret ones are kept with the credentials. */
export function ConfigCard({ connection, name }: { connection: Connection; name: ConnectionName }) {
  const { connections: texts } = useTexts();
  const own = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  const provider = useQuery(providerQuery(environment, connection.provider));
  if (provider.isError) {
    return <FaultBanner error={provider.error} onRetry={() => void provider.refetch()} />;
  }
  if (provider.data === undefined) return <SkeletonCard />;
  const { connection_config: known } = provider.data;
  const fields = toFields("params", known).filter(({ secret }) => !secret);
  const stored = textsOf(connection.connection_config);
  const asked = new Set(fields.map(({ name: field }) => field));
  const others = Object.entries(stored).filter(([field]) => !asked.has(field));
  const isFixed = ([field]: readonly [string, string]) =>
    known[field]?.automated === true || serverNames.has(field);
  const free = others.filter((each) => !isFixed(each));
  return (
    <SaveForm
      title={texts.config}
      scope="environment:connections:update"
      values={Object.fromEntries(fields.map(({ id, name: field }) => [id, field]))}
      onSave={async (form) => {
        const named = fields.map(({ id, name: field }) => [field, String(form.get(id)).trim()]);
        const given = { ...Object.fromEntries(named), ...pairsOf(linesOf(form, OTHERS)) };
        const body = changeOf({
          stored,
          given,
          removable: [...asked, ...free.map(([key]) => key)],
        });
        if (Object.keys(body).length === 0) return;
        await callApi("updateConnectionConfig", { environment, ...callOfConnection(name), body });
        await queryClient.invalidateQueries({ queryKey: ["connection", environment, name] });
      }}
    >
      <p className="soft">{own.configText}</p>
      {fields.map((field) => (
        <ProviderInput
          key={field.id}
          field={{ ...field, required: false, initial: stored[field.name] ?? "" }}
        />
      ))}
      <LinesInput
        label={own.otherValues}
        name={OTHERS}
        help={own.otherValuesHelp}
        initial={toPairLines(Object.fromEntries(free))}
      />
      {others.some(isFixed) && (
        <p className="help">
          {own.setByServer}{" "}
          <span className="mono">
            {plainText(toPairLines(Object.fromEntries(others.filter(isFixed))).join(" "), 2000)}
          </span>
        </p>
      )}
    </SaveForm>
  );
}

const OTHERS = "other-values";

/** Set by the server; a change of them is refused. */
const serverNames: ReadonlySet<string> = new Set(["emailAddressHash", "oauth_client_id_override"]);

function textsOf(config: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]));
}

/** Values that differ; an empty text removes one. */
function changeOf({
  stored,
  given,
  removable,
}: {
  stored: Values;
  given: Values;
  removable: readonly string[];
}): Record<string, string> {
  const removed = removable.filter((name) => !Object.hasOwn(given, name)).map((name) => [name, ""]);
  const all: Values = { ...Object.fromEntries(removed), ...given };
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => (stored[name] ?? "") !== value),
  );
}
