import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { queryClient } from "../../data/query-client.ts";
import {
  callOfModel,
  type ModelName,
  prunableQuery,
  pruneRecords,
} from "../../data/records/records.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { useSettled } from "../../parts/forms/use-settled.ts";
import {
  CodeButton,
  type CodeExample,
  cliOf,
  curlOf,
  nodeCall,
  quote,
} from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { nameOf } from "./record-words.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_DAYS = "30";

/** Removes the content of a model's old records: how many before, the name typed, and how many after. */
export function PruneButton({ name }: { name: ModelName }) {
  const { records: texts } = useTexts();
  return (
    <DialogButton
      label={texts.prune}
      title={texts.pruneTitle(plainText(nameOf(name), 80))}
      scope="environment:records:write"
    >
      {(close) => <PruneForm name={name} onEnd={close} />}
    </DialogButton>
  );
}

function PruneForm({ name, onEnd }: { name: ModelName; onEnd: () => void }) {
  const { records: texts, tables } = useTexts();
  const { name: environment, is_production: isProduction } = useEnvironment();
  const [openedAt] = useState(Date.now);
  const [days, setDays] = useState(FIRST_DAYS);
  const [typed, setTyped] = useState("");
  const [soFar, setSoFar] = useState(0);
  const settled = useSettled(days);
  const isWhole = /^\d{1,5}$/.test(settled);
  const before = new Date(openedAt - (isWhole ? Number(settled) : 0) * DAY_MS).toISOString();
  const counted = useQuery({ ...prunableQuery(environment, name, before), enabled: isWhole });
  const prune = useMutation({
    mutationFn: async () => await pruneRecords(environment, name, { before, onProgress: setSoFar }),
    onSettled: async () => {
      for (const key of ["records", "record", "record-models"]) {
        await queryClient.invalidateQueries({ queryKey: [key, environment] });
      }
    },
  });
  if (prune.isSuccess) {
    return (
      <>
        <p role="status">{texts.prunedCount(formatNumber(prune.data))}</p>
        <div className="row">
          <Button className="button" onPress={onEnd} autoFocus>
            {tables.close}
          </Button>
        </div>
      </>
    );
  }
  const found = isWhole && settled === days ? counted.data : undefined;
  const model = nameOf(name);
  return (
    <>
      <p>{texts.pruneText}</p>
      {(prune.error ?? counted.error) !== null && (
        <FaultBanner error={prune.error ?? counted.error} />
      )}
      <TextInput
        autoFocus
        isNumber
        label={texts.pruneDays}
        name="days"
        autoComplete="off"
        help={texts.pruneDaysHelp}
        value={days}
        onChange={setDays}
        fault={isWhole ? undefined : texts.pruneWhole}
      />
      <p role="status">
        {prune.isPending ? texts.pruning(formatNumber(soFar)) : isWhole && wordsOf(found)}
      </p>
      <TextInput
        label={tables.typeToConfirm(plainText(model, 80))}
        name="model"
        autoComplete="off"
        value={typed}
        onChange={setTyped}
      />
      <div className="row">
        <CodeButton text={tables.codeOfAction} examples={codeOf(environment, name, before)} />
        <Button className="button" onPress={onEnd}>
          {tables.cancel}
        </Button>
        <Button
          className="button danger"
          isDisabled={found === undefined || found.count === 0 || typed !== model}
          isPending={prune.isPending}
          onPress={() => prune.mutate()}
        >
          {isProduction ? tables.inEnvironment(texts.pruneDo, environment) : texts.pruneDo}
        </Button>
      </div>
    </>
  );

  function wordsOf(count: typeof found): string {
    if (count === undefined) return counted.isError ? "" : tables.counting;
    const number = formatNumber(count.count);
    return count.has_more ? texts.pruneMany(number) : texts.pruneCount(number);
  }
}

function codeOf(environment: string, name: ModelName, before: string): readonly CodeExample[] {
  const { query, headers } = callOfModel(name);
  const { integration, connection, model, variant } = name;
  const options = Object.entries({
    integration,
    connection,
    before,
    ...(variant === "base" ? {} : { variant }),
    environment,
  }).map(([option, value]) => `--${option} ${quote(value)}`);
  return [
    curlOf("pruneRecords", environment, { headers, body: { ...query, before } }),
    nodeCall(environment, "records.prune", {
      providerConfigKey: integration,
      connectionId: connection,
      ...query,
      before,
    }),
    cliOf(`records prune ${quote(model)} ${options.join(" ")} --yes`),
  ];
}
