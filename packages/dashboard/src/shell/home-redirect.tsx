import { Navigate } from "@tanstack/react-router";
import { useMe } from "../data/me.ts";
import { usePathValues } from "../parts/use-address.ts";
import { useTexts } from "../texts/use-texts.ts";
import { ScreenHead } from "./screen-head.tsx";
import { menuEntries } from "./screens.ts";

/** The first screen of the environment that the address names, else of the person's first. */
export function HomeRedirect() {
  const { shell: texts } = useTexts();
  const { environments } = useMe();
  const { environment: named } = usePathValues();
  const name = named ?? environments[0]?.name;
  if (name === undefined) return <ScreenHead title={texts.noEnvironments} />;
  return <Navigate to={`/${encodeURIComponent(name)}/${menuEntries[0]?.path ?? ""}`} replace />;
}
