import { useNavigate, useRouterState } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select, SelectValue } from "react-aria-components/Select";
import type { OwnEnvironment } from "../data/me.ts";
import { homeOf } from "../start/environment-address.ts";
import { useTexts } from "../texts/use-texts.ts";
import { addressOfEntry, findEntry } from "./screens.ts";

/** The screen of all of them; no environment has this name. */
const ALL = "/environments";

/** The environment that screens are about; choosing another one stays on the same screen. */
export function EnvironmentSwitcher({
  environments,
  current,
}: {
  environments: readonly OwnEnvironment[];
  current: OwnEnvironment | undefined;
}) {
  const { shell: texts } = useTexts();
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = findEntry(path);
  const targetIn = (name: string) =>
    shown === undefined || shown.isOfAccount === true ? homeOf(name) : addressOfEntry(shown, name);
  return (
    <Select
      className="switcher"
      aria-label={texts.environment}
      value={current?.name ?? null}
      onChange={(name) => void navigate({ to: name === ALL ? ALL : targetIn(String(name)) })}
    >
      <Button className={current?.is_production === true ? "button production" : "button"}>
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover">
        <ListBox className="menu">
          {environments.map(({ id, name, is_production: isProduction }) => (
            <ListBoxItem key={id} id={name} className="menu-item" textValue={name}>
              <span className={isProduction ? "production" : ""}>{name}</span>
            </ListBoxItem>
          ))}
          <ListBoxItem id={ALL} className="menu-item apart" textValue={texts.allEnvironments}>
            {texts.allEnvironments}
          </ListBoxItem>
        </ListBox>
      </Popover>
    </Select>
  );
}
