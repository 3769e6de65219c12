import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { isId } from "../../data/find/find-by-id.ts";
import { findOperation } from "../../data/find/find-operation.ts";
import { useMe } from "../../data/me.ts";
import { plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { SkeletonCard } from "../../parts/panels/skeleton.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { shortLinkTexts } from "../../texts/screens/shell/short-links.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** Leads to an operation, in whichever environment it is. */
export function OperationLinkScreen() {
  const { shell, tables } = useTexts();
  const texts = useTextsOf(shortLinkTexts);
  const { operationId = "" } = usePathValues();
  const id = operationId.toLowerCase();
  const { environments } = useMe();
  const { data, isLoading, error, refetch } = useQuery({
    queryKey: ["operation-link", id],
    queryFn: async ({ signal }) => (await findOperation(environments, id, signal)) ?? null,
    enabled: isId(id),
  });
  if (typeof data === "string") {
    return <Navigate to={`/${encodeURIComponent(data)}/operations/${id}`} replace />;
  }
  const shown = plainText(operationId, 60);
  if (isLoading) {
    return (
      <>
        <ScreenHead title={texts.searching(shown)} />
        <SkeletonCard />
      </>
    );
  }
  return (
    <>
      <ScreenHead title={error === null ? texts.noneTitle : tables.notLoadedTitle} />
      {error !== null && <FaultBanner error={error} onRetry={() => void refetch()} />}
      {error === null && <p>{isId(id) ? texts.none(shown) : texts.noId}</p>}
      <p>
        <Go className="button" target={{ to: "/" }}>
          {shell.toHome}
        </Go>
      </p>
    </>
  );
}
