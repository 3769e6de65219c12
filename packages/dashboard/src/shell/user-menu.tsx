import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { Header } from "react-aria-components/Header";
import { Menu, MenuItem, MenuSection, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { callApi } from "../data/api.ts";
import { forgetPerson, type Me } from "../data/me.ts";
import { usePreferences } from "../data/preferences.ts";
import { plainText } from "../parts/formats.ts";
import { changePreferences, paintTheme, themeChoices } from "../start/stored-preferences.ts";
import { useTexts } from "../texts/use-texts.ts";

const switches = ["shortcuts", "utc"] as const;

/** Who has signed in, how the page looks, and signing out. */
export function UserMenu({ me, onHelp }: { me: Me; onHelp: () => void }) {
  const { shell: texts } = useTexts();
  const preferences = usePreferences();
  const navigate = useNavigate();
  const signOut = async () => {
    await callApi("signOut").catch(() => undefined);
    forgetPerson();
    await navigate({ to: "/sign-in" });
  };
  return (
    <MenuTrigger>
      <Button className="quiet-button">
        <span className="cut">{plainText(me.user.name, 40)}</span>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover" placement="top start">
        <Menu className="menu" aria-label={plainText(me.user.name, 80)}>
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[preferences.theme]}
            onSelectionChange={(keys) => {
              const theme = themeChoices.find((choice) => keys !== "all" && keys.has(choice));
              if (theme === undefined) return;
              changePreferences({ theme });
              paintTheme();
            }}
          >
            <Header className="menu-head">{texts.theme}</Header>
            {themeChoices.map((choice) => (
              <MenuItem key={choice} id={choice} className="menu-item">
                {texts.themes[choice]}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection
            selectionMode="multiple"
            selectedKeys={switches.filter((name) => preferences[name])}
            onSelectionChange={(keys) => {
              const isOn = (name: string) => keys === "all" || keys.has(name);
              changePreferences({ shortcuts: isOn("shortcuts"), utc: isOn("utc") });
            }}
          >
            <Header className="menu-head">{texts.help}</Header>
            <MenuItem id="shortcuts" className="menu-item">
              {texts.shortcuts}
            </MenuItem>
            <MenuItem id="utc" className="menu-item">
              {texts.utc}
            </MenuItem>
          </MenuSection>
          <MenuItem
            id="profile"
            className="menu-item"
            onAction={() => void navigate({ to: "/profile" })}
          >
            {texts.screens.profile}
          </MenuItem>
          <MenuItem id="help" className="menu-item" onAction={onHelp}>
            {texts.help} <kbd>?</kbd>
          </MenuItem>
          <MenuItem id="sign-out" className="menu-item" onAction={() => void signOut()}>
            {texts.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
