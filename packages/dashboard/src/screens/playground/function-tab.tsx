import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import {
  type FunctionName,
  functionListQuery,
  functionQuery,
} from "../../data/functions/functions.ts";
import { Go } from "../../parts/go.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { ConnectionPicker, FunctionPicker } from "./pickers.tsx";
import { type Tried, useTried } from "./run-history.ts";
import { RunPanel } from "./run-panel.tsx";

/** A function, a connection and an input; the result is next to them. */
export function FunctionTab() {
  const { shell } = useTexts();
  const { name: environment } = useEnvironment();
  const { integration, type, function: name, variant, connection, take } = useAddress().words;
  const own: FunctionName | undefined =
    integration === undefined || type === undefined || name === undefined
      ? undefined
      : { integration, type, name };
  const taken = useTried().find(({ id }) => String(id) === take);
  return (
    <>
      <div className="filters">
        <FunctionPicker />
        {own !== undefined && <ConnectionPicker />}
      </div>
      {own === undefined ? (
        <NoChoice />
      ) : (
        <Chosen
          key={`${environment} ${integration} ${type} ${name} ${variant} ${take}`}
          own={own}
          variant={type === "sync" ? variant : undefined}
          connection={connection}
          taken={taken}
          loading={shell.loading}
        />
      )}
    </>
  );
}

const noFilter = { search: undefined };

/** Before a function is chosen, or where none can be. */
function NoChoice() {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const query = useInfiniteQuery(functionListQuery(environment, noFilter));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data?.pages[0]?.data.length !== 0) {
    return <Empty title={texts.chooseFunction} text={texts.chooseFunctionText} />;
  }
  return (
    <Empty title={texts.noFunction} text={texts.noFunctionText}>
      <Go className="button" target={{ to: ".", search: { ...words, tab: "request" } }}>
        {texts.tabs.request}
      </Go>
    </Empty>
  );
}

function Chosen({
  own,
  variant,
  connection,
  taken,
  loading,
}: {
  own: FunctionName;
  variant: string | undefined;
  connection: string | undefined;
  taken: Tried | undefined;
  loading: string;
}) {
  const { name: environment } = useEnvironment();
  const query = useQuery(functionQuery(environment, own));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <p role="status">{loading}</p>;
  return (
    <RunPanel name={own} own={query.data} variant={variant} connection={connection} taken={taken} />
  );
}
