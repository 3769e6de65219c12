import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { isNotFound } from "../../data/api.ts";
import { useTexts } from "../../texts/use-texts.ts";
import type { Target } from "../go.tsx";
import { Drawer } from "./drawer.tsx";
import { FaultBanner } from "./fault-banner.tsx";

/** Why a panel has nothing to show, and the way on: back to the list, where there is no such thing. */
export function DrawerFault({
  query: { isError, error, refetch },
  onClose,
}: {
  query: { readonly isError: boolean; readonly error: unknown; readonly refetch: () => unknown };
  onClose: () => void;
}) {
  const { tables } = useTexts();
  if (!isError) return null;
  if (!isNotFound(error)) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  return (
    <FaultBanner error={error}>
      <Button className="button" onPress={onClose}>
        {tables.backToList}
      </Button>
    </FaultBanner>
  );
}

/** A panel next to a list about one thing, which is read when the panel opens. */
export function QueryDrawer<Data>({
  query,
  title,
  page,
  onClose,
  onStep,
  children,
}: {
  query: {
    readonly data: Data | undefined;
    readonly isError: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  title: (data: Data) => string;
  page?: Target;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
  children: (data: Data) => ReactNode;
}) {
  const { shell, tables } = useTexts();
  const { data } = query;
  const failed = isNotFound(query.error) ? tables.notFoundTitle : tables.notLoadedTitle;
  const name = data === undefined ? (query.isError ? failed : shell.loading) : title(data);
  return (
    <Drawer
      title={name}
      {...(page === undefined ? {} : { page })}
      onClose={onClose}
      onStep={onStep}
    >
      <DrawerFault query={query} onClose={onClose} />
      {data !== undefined && children(data)}
    </Drawer>
  );
}
