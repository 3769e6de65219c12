import { useRouterState } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import type { Me, OwnEnvironment } from "../data/me.ts";
import { holdsScope } from "../data/scopes.ts";
import { Go } from "../parts/go.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { EnvironmentSwitcher } from "./environment-switcher.tsx";
import { MenuCount } from "./live/menu-count.tsx";
import { addressOfEntry, findEntry, menuEntries } from "./screens.ts";
import { UserMenu } from "./user-menu.tsx";

const groups = ["first", "build", "agents", "observe", "setUp", "account"] as const;

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
  const shown = findEntry(path);
  return (
    <nav aria-label={texts.menu}>
      <EnvironmentSwitcher environments={me.environments} current={environment} />
      {groups.map((group) => {
        const entries = menuEntries.filter(
          // What concerns few people is not in the way of all others.
          ({ group: own, isOfAccount, scope }) =>
            own === group && (isOfAccount !== true || holdsScope(me.account_scopes, scope)),
        );
        // Without an environment there are only screens of the account, where one can be made.
        if (entries.length === 0 || (environment === undefined && group !== "account")) return null;
        return (
          <div key={group}>
            {group !== "first" && <h2>{texts.groups[group]}</h2>}
            <ul>
              {entries.map((entry) => (
                <li key={entry.name}>
                  <Go
                    target={{ to: addressOfEntry(entry, environment?.name ?? "") }}
                    aria-current={entry === shown ? "page" : undefined}
                    onClick={onLeave}
                  >
                    {texts.screens[entry.name]}
                  </Go>
                  {environment !== undefined && (
                    <MenuCount entry={entry} environment={environment} />
                  )}
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
