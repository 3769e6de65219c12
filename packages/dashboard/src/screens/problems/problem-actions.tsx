import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Label } from "react-aria-components/Label";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { Text } from "react-aria-components/Text";
import { TextArea } from "react-aria-components/TextArea";
import { TextField } from "react-aria-components/TextField";
import { callApi } from "../../data/api.ts";
import { useMe } from "../../data/me.ts";
import type { Problem } from "../../data/observe/problems.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { problemTexts } from "../../texts/environment/problems.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

const HOUR = 60 * 60_000;
const spans = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const;

interface Change {
  readonly mute_until?: string | null;
  readonly note?: string | null;
  readonly resolved?: boolean;
}

function useChange({ id }: Problem) {
  const { name: environment } = useEnvironment();
  return useMutation({
    mutationFn: async (body: Change) =>
      await callApi("updateProblem", { environment, params: { problemId: id }, body }),
    onSuccess: async ({ data }) => {
      queryClient.setQueryData(["problem", environment, id], data);
      await queryClient.invalidateQueries({ queryKey: ["problems", environment] });
    },
  });
}

/** Mute it for a time, or mark it as resolved until it happens again. */
export function ProblemActions({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const change = useChange(problem);
  const isResolved = problem.state === "resolved";
  return (
    <>
      {change.isError && <FaultBanner error={change.error} />}
      {problem.mute_until !== null && problem.state === "muted" && (
        <>
          <span className="soft">{texts.mutedUntil(formatDay(problem.mute_until))}</span>
          <ScopedButton
            scope="environment:problems:write"
            onPress={() => change.mutate({ mute_until: null })}
          >
            {texts.unmute}
          </ScopedButton>
        </>
      )}
      {problem.state === "open" && (
        <MenuTrigger>
          <ScopedButton scope="environment:problems:write">
            {texts.mute}
            <span aria-hidden="true">▾</span>
          </ScopedButton>
          <Popover className="popover" placement="bottom end">
            <Menu
              className="menu"
              aria-label={texts.mute}
              onAction={(key) => {
                const span = key === "hour" || key === "week" ? spans[key] : spans.day;
                change.mutate({ mute_until: new Date(Date.now() + span).toISOString() });
              }}
            >
              {Object.entries(texts.muteFor).map(([id, text]) => (
                <MenuItem key={id} id={id} className="menu-item">
                  {text}
                </MenuItem>
              ))}
            </Menu>
          </Popover>
        </MenuTrigger>
      )}
      <ScopedButton
        scope="environment:problems:write"
        isPending={change.isPending}
        onPress={() => change.mutate({ resolved: !isResolved })}
      >
        {isResolved ? texts.reopen : texts.resolve}
      </ScopedButton>
    </>
  );
}

const MOST_CHARACTERS = 2000;

export function ProblemNote({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const may = useMay("environment:problems:write");
  const change = useChange(problem);
  const more = useTextsOf(problemTexts);
  const { user } = useMe();
  const stored = problem.note ?? "";
  const line = more.notified(formatDay(new Date().toISOString()), plainText(user.name, 80));
  const [typed, setTyped] = useState(stored);
  return (
    <Card title={texts.note}>
      <div className="stack padded">
        {change.isError && <FaultBanner error={change.error} />}
        <TextField
          className="text-field"
          value={typed}
          onChange={setTyped}
          isReadOnly={!may}
          maxLength={MOST_CHARACTERS}
        >
          <Label className="hidden">{texts.note}</Label>
          <TextArea className="input" rows={3} />
          <Text slot="description" className="help">
            {texts.noteHelp}
          </Text>
        </TextField>
        <div className="row">
          <ScopedButton
            scope="environment:problems:write"
            isDisabled={typed === stored}
            isPending={change.isPending}
            onPress={() => change.mutate({ note: typed.trim() === "" ? null : typed })}
          >
            {texts.saveNote}
          </ScopedButton>
          {problem.kind === "needs_reauthorization" && (
            <ScopedButton
              scope="environment:problems:write"
              isPending={change.isPending}
              onPress={() =>
                change.mutate({ note: `${line}\n${typed}`.trim().slice(0, MOST_CHARACTERS) })
              }
            >
              {more.notify}
            </ScopedButton>
          )}
        </div>
      </div>
    </Card>
  );
}
