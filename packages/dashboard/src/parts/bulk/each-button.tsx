import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient } from "../../data/query-client.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber } from "../formats.ts";
import { FaultBanner } from "../panels/fault-banner.tsx";
import { ScopedButton } from "../scoped-button.tsx";

/** Does something to each of the chosen rows, one after the other, and says how far it is. */
export function EachButton({
  label,
  scope,
  ids,
  onEach,
  changes,
}: {
  label: string;
  scope: string;
  ids: readonly string[];
  onEach: (id: string) => Promise<unknown>;
  /** Query whose list it changes. */
  changes: string;
}) {
  const { tables } = useTexts();
  const { name: environment } = useEnvironment();
  const [done, setDone] = useState(0);
  const act = useMutation({
    mutationFn: async () => {
      setDone(0);
      for (const [index, id] of ids.entries()) {
        await onEach(id);
        setDone(index + 1);
      }
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: [changes, environment] });
    },
  });
  return (
    <>
      <ScopedButton
        scope={scope}
        look="small"
        isPending={act.isPending}
        onPress={() => act.mutate()}
      >
        {label}
      </ScopedButton>
      <span role="status">
        {(act.isPending || act.isSuccess) &&
          tables.eachDone(formatNumber(done), formatNumber(ids.length))}
      </span>
      {act.isError && <FaultBanner error={act.error} />}
    </>
  );
}
