import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import type { ListedSync } from "../../data/syncs.ts";
import { plainText } from "../../parts/formats.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { bodyOf } from "./run-words.ts";
import { nameOf } from "./sync-columns.tsx";

interface Change {
  readonly sync: ListedSync;
  readonly onDone: () => void;
}

/** Begins a sync from the start, after saying what that clears. */
export function ResyncButton({ sync, onDone }: Change) {
  const { syncs: texts } = useTexts();
  return (
    <DialogButton
      label={texts.resync}
      title={texts.resyncTitle(plainText(nameOf(sync), 60))}
      scope="environment:syncs:execute"
      reason={sync.state === "disabled" ? texts.isDisabled : undefined}
    >
      {(close) => (
        <Resync
          sync={sync}
          onDone={() => {
            onDone();
            close();
          }}
        />
      )}
    </DialogButton>
  );
}

function Resync({ sync, onDone }: Change) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const act = useMutation({
    mutationFn: async (clears: boolean) => {
      const opts = { reset: true, emptyCache: clears };
      const body = Object({ ...bodyOf(sync), opts });
      await callApi("triggerSyncs", { environment, body });
    },
    onSuccess: onDone,
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        act.mutate(isOn(new FormData(event.currentTarget), "clears"));
      }}
    >
      <p>{texts.resyncText(plainText(sync.connection_id, 80))}</p>
      <ToggleInput name="clears" label={texts.resyncClears} initial={false} />
      {act.isError && <FaultBanner error={act.error} />}
      <div className="row">
        <Button className="button danger" type="submit" isPending={act.isPending}>
          {texts.resyncIn(environment)}
        </Button>
      </div>
    </form>
  );
}

/** Sets how often a sync runs for its connection. */
export function FrequencyButton({ sync, onDone }: Change) {
  const { syncs: texts } = useTexts();
  return (
    <DialogButton label={texts.setFrequency} scope="environment:syncs:update">
      {(close) => (
        <Frequency
          sync={sync}
          onDone={() => {
            onDone();
            close();
          }}
        />
      )}
    </DialogButton>
  );
}

function Frequency({ sync, onDone }: Change) {
  const { syncs: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const act = useMutation({
    mutationFn: async (frequency: string | null) => {
      const { provider_config_key: key, connection_id: id, name, variant } = sync;
      const body = {
        ...{ provider_config_key: key, connection_id: id },
        ...{ sync_name: name, sync_variant: variant, frequency },
      };
      await callApi("updateSyncConnectionFrequency", { environment, body });
    },
    onSuccess: onDone,
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = String(new FormData(event.currentTarget).get("frequency"));
        act.mutate(typed.startsWith("every ") ? typed : `every ${typed}`);
      }}
    >
      <TextInput
        label={texts.frequency}
        name="frequency"
        autoComplete="off"
        initial={sync.frequency ?? ""}
        help={texts.frequencyHelp}
      />
      {act.isError && <FaultBanner error={act.error} />}
      <div className="row">
        <Button className="button primary" type="submit" isPending={act.isPending}>
          {tables.save}
        </Button>
        <Button className="button" isPending={act.isPending} onPress={() => act.mutate(null)}>
          {texts.frequencyDeployed}
        </Button>
      </div>
    </form>
  );
}
