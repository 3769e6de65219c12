import type { DevFault } from "@jackfield/contract";
import { useMemo } from "react";
import { linesOf, Tokens } from "../parts/code/code-view.tsx";
import { plainText } from "../parts/formats.ts";
import { devTexts } from "../texts/screens/dev.ts";
import { useTextsOf } from "../texts/use-texts.ts";

/** What is wrong, where, and the lines around it. */
export function FaultView({ fault, folder }: { fault: DevFault; folder: string }) {
  const texts = useTextsOf(devTexts);
  const { message, file, line, column, frame } = fault;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return (
    <li className="banner bad column">
      <strong>{plainText(message, 2000)}</strong>
      {file !== undefined && (
        <p className="row">
          <code>{plainText(place)}</code>
          {/* A scheme of its own, so the path cannot be read as one of another. */}
          <a href={`vscode://file${encodeURI(`${folder}/${place}`)}`}>{texts.open}</a>
        </p>
      )}
      {frame !== undefined && <FrameView label={place} frame={frame} line={line} />}
    </li>
  );
}

function FrameView({
  label,
  frame,
  line,
}: {
  label: string;
  frame: NonNullable<DevFault["frame"]>;
  line: number | undefined;
}) {
  const lines = useMemo(() => linesOf(frame.lines.join("\n")), [frame]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="source frame" aria-label={label} tabIndex={0}>
      <pre>
        {lines.map((tokens, at) => {
          const number = frame.first + at;
          return (
            <code className={number === line ? "line here" : "line"} key={number}>
              <span className="soft">{String(number).padStart(5)} </span>
              <Tokens tokens={tokens} />
            </code>
          );
        })}
      </pre>
    </section>
  );
}
