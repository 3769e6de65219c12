import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import {
  changeSettings,
  type Settings,
  type SettingsChange,
  settingsQuery,
} from "../../data/environment/settings.ts";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { SkeletonCard } from "../../parts/panels/skeleton.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";

/** What reading something stands at, and its content once it is there. */
export function WithQuery<Data>({
  query,
  children,
}: {
  query: {
    readonly data: Data | undefined;
    readonly isLoading: boolean;
    readonly isError: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  children: (data: Data) => ReactNode;
}) {
  return (
    <>
      {query.isLoading && <SkeletonCard />}
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && children(query.data)}
    </>
  );
}

/** The environment's settings, and how a part of them is changed. */
export function WithSettings({
  children,
}: {
  children: (settings: Settings, change: (part: SettingsChange) => Promise<void>) => ReactNode;
}) {
  const { name: environment } = useEnvironment();
  const query = useQuery(settingsQuery(environment));
  return (
    <WithQuery query={query}>
      {(settings) => children(settings, async (part) => await changeSettings(environment, part))}
    </WithQuery>
  );
}

export const WRITE_SETTINGS = "environment:settings:write";

/** A number of a form; nothing where its field is empty. */
export function numberOf(form: FormData, name: string): number | null {
  const text = String(form.get(name) ?? "").trim();
  return text === "" ? null : Number(text);
}
