import { Navigate } from "@tanstack/react-router";
import { useMe } from "../data/me.ts";
import { useTexts } from "../texts/use-texts.ts";
import { ScreenHead } from "./screen-head.tsx";
import { homeOf } from "./screens.ts";

/** The first screen of the person's first environment. */
export function HomeRedirect() {
  const { shell: texts } = useTexts();
  const { environments } = useMe();
  const name = environments[0]?.name;
  if (name === undefined) return <ScreenHead title={texts.noEnvironments} />;
  return <Navigate to={homeOf(name)} replace />;
}
