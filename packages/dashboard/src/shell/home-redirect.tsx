import { Navigate } from "@tanstack/react-router";
import { useMe } from "../data/me.ts";
import { homeOf } from "../start/environment-address.ts";
import { useTexts } from "../texts/use-texts.ts";
import { ScreenHead } from "./screen-head.tsx";
import { useMayInAccount } from "./use-account.ts";

/** The first screen of the person's first environment. */
export function HomeRedirect() {
  const { shell: texts } = useTexts();
  const { environments } = useMe();
  const name = environments[0]?.name;
  const mayMake = useMayInAccount("account:environments:create");
  if (name === undefined) {
    return (
      <>
        <ScreenHead title={mayMake ? texts.screens.environments : texts.noEnvironments} />
        {mayMake && <Navigate to="/environments" replace />}
      </>
    );
  }
  return <Navigate to={homeOf(name)} replace />;
}
