import { Button } from "react-aria-components/Button";
import { FaultBanner } from "../parts/panels/fault-banner.tsx";
import { useTexts } from "../texts/use-texts.ts";

/** A screen that threw, or whose code could not be loaded: then the server has a newer version of the page. */
export function BrokenScreen({ error }: { error: unknown }) {
  const { shell: texts } = useTexts();
  const isOutdated = error instanceof TypeError && /import|module|fetch/i.test(error.message);
  return (
    <div className="page-scroll">
      {isOutdated ? <p className="notice">{texts.newVersion}</p> : <FaultBanner error={error} />}
      <Button className="button primary" onPress={() => window.location.reload()}>
        {texts.reload}
      </Button>
    </div>
  );
}
