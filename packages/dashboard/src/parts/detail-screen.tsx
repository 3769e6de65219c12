import type { ReactNode } from "react";
import { isNotFound } from "../data/api.ts";
import { ScreenHead } from "../shell/screen-head.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { Go, type Target } from "./go.tsx";
import { CodeButton, type CodeExample } from "./panels/code-panel.tsx";
import { FaultBanner } from "./panels/fault-banner.tsx";
import { SkeletonCard } from "./panels/skeleton.tsx";

/** How reading one thing stands, as TanStack Query reports it. */
interface Reading<Data> {
  readonly data: Data | undefined;
  readonly isLoading: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** A screen about one thing: where it belongs, what can be done with it, and why it is not there. */
export function DetailScreen<Data>({
  query,
  title,
  goneTitle,
  parent,
  badge,
  examples,
  actions,
  children,
}: {
  query: Reading<Data>;
  /** Of what was read; without it, what the address says of it. */
  title: (data: Data | undefined) => string | undefined;
  /** In place of a title, where there is no such thing. */
  goneTitle?: string;
  parent: { readonly text: string; readonly target: Target };
  badge?: (data: Data) => ReactNode;
  examples: readonly CodeExample[];
  actions?: (data: Data) => ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { shell, tables } = useTexts();
  const { data } = query;
  const untitled = isNotFound(query.error)
    ? (goneTitle ?? tables.notFoundTitle)
    : tables.notLoadedTitle;
  return (
    <>
      <ScreenHead
        title={title(data) ?? (query.isLoading ? shell.loading : untitled)}
        parent={parent}
        badge={data === undefined ? undefined : badge?.(data)}
      >
        <CodeButton examples={examples} />
        {data !== undefined && actions?.(data)}
      </ScreenHead>
      <div className="page-scroll">
        {query.isError &&
          (isNotFound(query.error) ? (
            <FaultBanner error={query.error}>
              <Go className="button" target={parent.target}>
                {parent.text}
              </Go>
            </FaultBanner>
          ) : (
            <FaultBanner error={query.error} onRetry={() => void query.refetch()} />
          ))}
        {query.isLoading && <SkeletonCard />}
        {data !== undefined && children(data)}
      </div>
    </>
  );
}
