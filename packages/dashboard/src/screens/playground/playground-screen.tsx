import { Go } from "../../parts/go.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { FunctionTab } from "./function-tab.tsx";
import { HistoryCard } from "./history-card.tsx";
import { RequestTab } from "./request-tab.tsx";

const tabs = ["function", "request"] as const;

/** Functions and calls of a provider's API, tried by hand. */
export function PlaygroundScreen() {
  const { playground: texts } = useTexts();
  const { words } = useAddress();
  const tab = tabs.find((one) => one === words["tab"]) ?? "function";
  return (
    <>
      <ScreenHead title={texts.title} />
      <div className="page-scroll">
        <div className="tabs">
          {tabs.map((one) => (
            <Go
              key={one}
              className="tab"
              target={{ to: ".", search: { ...words, tab: one === "function" ? undefined : one } }}
              aria-current={one === tab ? "page" : undefined}
            >
              {texts.tabs[one]}
            </Go>
          ))}
        </div>
        {tab === "function" ? <FunctionTab /> : <RequestTab />}
        <HistoryCard />
      </div>
    </>
  );
}
