import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import {
  callOfFunction,
  type DeployedFunction,
  type FunctionName,
} from "../../data/functions/functions.ts";
import { queryClient } from "../../data/query-client.ts";
import { plainText } from "../../parts/formats.ts";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Lets a function run again; to stop it is asked for twice. */
export function EnableButton({ own, name }: { own: DeployedFunction; name: FunctionName }) {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:functions:update");
  const change = useMutation({
    mutationFn: async (enabled: boolean) =>
      await callApi("updateFunction", { environment, ...callOfFunction(name), body: { enabled } }),
    onSuccess: async ({ data }) => {
      queryClient.setQueryData(["function", environment, name], data);
      await queryClient.invalidateQueries({ queryKey: ["function-list", environment] });
    },
  });
  if (!own.enabled) {
    return (
      <>
        <Button
          className="button primary"
          isDisabled={!may}
          isPending={change.isPending}
          onPress={() => change.mutate(true)}
        >
          {texts.enable}
        </Button>
        {change.isError && <FaultBanner error={change.error} />}
      </>
    );
  }
  return (
    <ConfirmButton
      label={texts.disable}
      look=""
      isDisabled={!may}
      text={texts.disableText(plainText(name.name, 80))}
      confirm={texts.disable}
      onConfirm={async () => await change.mutateAsync(false)}
    />
  );
}
