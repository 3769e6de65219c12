import { Tab, TabList, TabPanel, Tabs } from "react-aria-components/Tabs";
import { useTexts } from "../../texts/use-texts.ts";
import { CopyButton } from "../copy-button.tsx";

/** A tab for each way to make a call. */
export function CodeTabs({
  examples,
}: {
  examples: readonly { readonly name: string; readonly text: string }[];
}) {
  const { tables } = useTexts();
  return (
    <Tabs className="code-tabs">
      <TabList className="tabs" aria-label={tables.code}>
        {examples.map(({ name }) => (
          <Tab key={name} id={name} className="tab">
            {name}
          </Tab>
        ))}
      </TabList>
      {examples.map(({ name, text: code }) => (
        <TabPanel key={name} id={name}>
          <pre className="code">{code}</pre>
          <CopyButton text={() => code} />
        </TabPanel>
      ))}
    </Tabs>
  );
}
