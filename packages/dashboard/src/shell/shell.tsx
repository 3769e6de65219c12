import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useLive, useLiveEnvironment } from "../data/live/live.ts";
import { useOutage } from "../data/live/outage.ts";
import { usePageIsOutdated } from "../data/live/page-version.ts";
import { type OwnEnvironment, useMe } from "../data/me.ts";
import { useTimeZone } from "../parts/clock/time-zone.ts";
import { usePathValues } from "../parts/use-address.ts";
import { environmentOf } from "../start/environment-address.ts";
import { TextsContext, useTexts } from "../texts/use-texts.ts";
import { KeyNote } from "./keys/key-note.tsx";
import { useKeysOfDialog } from "./keys/use-keys-of-dialog.ts";
import { useShortcuts } from "./keys/use-shortcuts.ts";
import { ClockNotice } from "./live/clock-notice.tsx";
import { ConnectionNotice, VersionNotice } from "./live/connection-notice.tsx";
import { LiveRegion } from "./live/live-region.tsx";
import { SecondFactorNotice } from "./live/second-factor-notice.tsx";
import { SideMenu } from "./side-menu.tsx";
import { StepUpDialog } from "./step-up/step-up-dialog.tsx";
import { UnknownEnvironment } from "./unknown-environment.tsx";
import { EnvironmentContext } from "./use-environment.ts";

const CommandPalette = lazy(async () => ({
  default: (await import("./palette/command-palette.tsx")).CommandPalette,
}));
const KeyboardHelp = lazy(async () => ({
  default: (await import("./keys/keyboard-help.tsx")).KeyboardHelp,
}));

/** What stands around every screen of who has signed in. */
export function Shell() {
  const english = useTexts();
  const zone = useTimeZone();
  // Everything that writes times reads its texts, and so is drawn again when the clock is another one.
  const texts = useMemo(() => ({ ...english, zone }), [english, zone]);
  return (
    <TextsContext value={texts}>
      <Frame />
    </TextsContext>
  );
}

function Frame() {
  const { shell: texts } = useTexts();
  const me = useMe();
  const { environment: part } = usePathValues();
  const name = part === undefined ? undefined : environmentOf(part);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const environment =
    name === undefined ? undefined : me.environments.find((own) => own.name === name);
  useLiveEnvironment(environment);
  const outage = useOutage();
  // Here, since what is below starts again with each screen.
  const isOutdated = usePageIsOutdated(useLive().isOpen);
  const last = useRef<OwnEnvironment>(undefined);
  if (environment !== undefined) last.current = environment;
  // Screens of the account stand below none: the menu keeps the one that was looked at before.
  const shown = environment ?? last.current ?? me.environments[0];
  // Of what is shown: the address changes before, and the screen that is left would begin again.
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname });
  const { overlay, show, close } = useShortcuts(shown?.name);
  useKeysOfDialog();
  const menu = (
    <SideMenu
      me={me}
      environment={shown}
      onPalette={() => show("palette")}
      onHelp={() => show("help")}
      onLeave={() => setMenuOpen(false)}
    />
  );
  return (
    <div className="shell" data-production={environment?.is_production === true}>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <div className="top-bar">
        <Button className="button" onPress={() => setMenuOpen(true)}>
          {texts.menu}
        </Button>
        <strong className={environment?.is_production === true ? "production" : ""}>
          {environment?.name ?? texts.product}
        </strong>
      </div>
      <div className="side">{menu}</div>
      <ModalOverlay
        className="overlay left"
        isOpen={isMenuOpen}
        onOpenChange={setMenuOpen}
        isDismissable
      >
        <Modal className="menu-sheet">
          <Dialog aria-label={texts.menu}>{menu}</Dialog>
        </Modal>
      </ModalOverlay>
      <main id="content" tabIndex={-1} key={path} data-stale={outage !== undefined}>
        <ConnectionNotice outage={outage} />
        {isOutdated && <VersionNotice />}
        <SecondFactorNotice me={me} />
        <ClockNotice />
        {name !== undefined && environment === undefined ? (
          <UnknownEnvironment name={name} environments={me.environments} />
        ) : (
          <EnvironmentContext value={environment}>
            <Outlet />
          </EnvironmentContext>
        )}
      </main>
      <LiveRegion />
      <StepUpDialog me={me} />
      <KeyNote />
      <Suspense>
        {overlay === "palette" && <CommandPalette me={me} environment={shown} onClose={close} />}
        {overlay === "help" && <KeyboardHelp onClose={close} />}
      </Suspense>
    </div>
  );
}
