import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import {
  callOfFunction,
  type DeployedFunction,
  type FunctionName,
} from "../../data/functions/functions.ts";
import { queryClient } from "../../data/query-client.ts";
import { plainText } from "../../parts/formats.ts";
import { curlOf, nodeCall } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Lets a function run again; to stop it is asked for twice. */
export function EnableButton({ own, name }: { own: DeployedFunction; name: FunctionName }) {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
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
        <ScopedButton
          look="primary"
          scope="environment:functions:update"
          isPending={change.isPending}
          onPress={() => change.mutate(true)}
        >
          {texts.enable}
        </ScopedButton>
        {change.isError && <FaultBanner error={change.error} />}
      </>
    );
  }
  return (
    <ConfirmButton
      label={texts.disable}
      look=""
      scope="environment:functions:update"
      text={texts.disableText(plainText(name.name, 80))}
      title={texts.disableNamed(plainText(name.name, 80))}
      confirm={texts.disableNamed(plainText(name.name, 80))}
      code={[
        curlOf("updateFunction", environment, {
          ...callOfFunction(name),
          body: { enabled: false },
        }),
        nodeCall(
          environment,
          "functions.update",
          { uniqueKey: name.integration, name: name.name, type: name.type },
          { enabled: false },
        ),
      ]}
      onConfirm={async () => await change.mutateAsync(false)}
    />
  );
}
