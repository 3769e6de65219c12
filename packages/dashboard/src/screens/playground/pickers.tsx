import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectionsQuery } from "../../data/connections.ts";
import { functionListQuery } from "../../data/functions/functions.ts";
import { NameFilter } from "../../parts/filters/name-filter.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** A function that can be run by hand, as `integration/type/name` in the address' words. */
export function FunctionPicker() {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const [typed, setTyped] = useState<string>();
  const search = typed?.split("/").at(-1);
  const query = useInfiniteQuery({
    ...functionListQuery(environment, { search: search === "" ? undefined : search }),
    enabled: typed !== undefined,
    placeholderData: (before) => before,
  });
  const names = (query.data?.pages.flatMap(({ data }) => data) ?? [])
    .filter(({ type }) => type !== "on-event")
    .map((each) => `${each.provider_config_key}/${each.type}/${each.name}`);
  const { integration, type, function: name, variant } = words;
  const chosen = [integration, type, variant === undefined ? name : `${name}::${variant}`];
  return (
    <NameFilter
      takesAny={false}
      label={texts.function}
      chosen={chosen.includes(undefined) ? undefined : chosen.join("/")}
      names={names}
      onType={setTyped}
      onChange={(next) => {
        const [key, kind, ...rest] = next?.split("/") ?? [];
        change({
          integration: key,
          type: kind,
          function: rest.join("/"),
          variant: undefined,
          connection: key === integration ? words["connection"] : undefined,
          take: undefined,
        });
      }}
    />
  );
}

/** A connection of the chosen integration, or of any. */
export function ConnectionPicker({ setsIntegration = false }: { setsIntegration?: boolean }) {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const [typed, setTyped] = useState<string>();
  const integrationId = setsIntegration ? undefined : words["integration"];
  const search = setsIntegration ? typed?.split("/").at(-1) : typed;
  const query = useInfiniteQuery({
    ...connectionsQuery(environment, {
      integrationId,
      search: search === "" ? undefined : search,
    }),
    enabled: typed !== undefined,
    placeholderData: (before) => before,
  });
  const found = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const nameOf = ({
    provider_config_key: key,
    connection_id: id,
  }: {
    provider_config_key: string;
    connection_id: string;
  }) => (setsIntegration ? `${key}/${id}` : id);
  const { integration, connection } = words;
  const chosen =
    setsIntegration && integration !== undefined && connection !== undefined
      ? `${integration}/${connection}`
      : connection;
  return (
    <NameFilter
      takesAny={false}
      label={texts.connection}
      chosen={chosen}
      names={found.map(nameOf)}
      onType={setTyped}
      onChange={(next) => {
        if (!setsIntegration) {
          change({ connection: next });
          return;
        }
        const [key, ...rest] = next?.split("/") ?? [];
        const isOther = key !== integration;
        change({
          integration: key,
          connection: rest.join("/"),
          ...(isOther ? { function: undefined, type: undefined } : {}),
        });
      }}
    />
  );
}
