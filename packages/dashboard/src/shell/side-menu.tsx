import { useRouterState } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import type { Me, OwnEnvironment } from "../data/me.ts";
import { Go } from "../parts/go.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { EnvironmentSwitcher } from "./environment-switcher.tsx";
import { menuEntries } from "./screens.ts";
import { UserMenu } from "./user-menu.tsx";

const groups = ["first", "build", "observe", "setUp"] as const;

/** Environments, screens, and who has signed in. */
export function SideMenu({
  me,
  environment,
  onPalette,
  onHelp,
  onLeave,
}: {
  me: Me;
  environment: OwnEnvironment | undefined;
  onPalette: () => void;
  onHelp: () => void;
  onLeave: () => void;
}) {
  const { shell: texts } = useTexts();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const screen = path.split("/")[2];
  return (
    <nav aria-label={texts.menu}>
      <EnvironmentSwitcher environments={me.environments} current={environment} />
      {groups.map((group) => {
        const entries = menuEntries.filter((entry) => entry.group === group);
        if (entries.length === 0 || environment === undefined) return null;
        return (
          <div key={group}>
            {group !== "first" && <h2>{texts.groups[group]}</h2>}
            <ul>
              {entries.map(({ name, path: at }) => (
                <li key={name}>
                  <Go
                    target={{ to: `/${encodeURIComponent(environment.name)}/${at}` }}
                    aria-current={
                      screen === at.split("/")[0] && path.includes(at) ? "page" : undefined
                    }
                    onClick={onLeave}
                  >
                    {texts.screens[name]}
                  </Go>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
      <span className="space" />
      <Button className="quiet-button" onPress={onPalette}>
        {texts.palette} <kbd>Ctrl K</kbd>
      </Button>
      <UserMenu me={me} onHelp={onHelp} />
    </nav>
  );
}
