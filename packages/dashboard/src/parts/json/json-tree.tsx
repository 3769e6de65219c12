import { useMemo, useState } from "react";
import { Button } from "react-aria-components/Button";
import { type Key, Tree, TreeItem, TreeItemContent } from "react-aria-components/Tree";
import { jsonTreeTexts } from "../../texts/screens/lists/json-tree.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { formatNumber, plainText } from "../formats.ts";
import { isNested, type Member, membersOf, openedFirst } from "./json-members.ts";

/** Characters of a text in its line; the view as text has all of them. */
const MOST_CHARACTERS = 2000;

export interface JsonTreeProps {
  readonly label: string;
  /** An object or a list. */
  readonly value: object;
}

/** A value as a tree, whose objects and lists are opened and closed by pointer and arrow keys. */
export function JsonTree({ label, value }: JsonTreeProps) {
  const [open, setOpen] = useState<ReadonlySet<Key>>(() => new Set(openedFirst(value)));
  return (
    <Tree
      className="json-tree"
      aria-label={label}
      expandedKeys={open}
      onExpandedChange={setOpen}
      disabledBehavior="selection"
    >
      <Members value={value} path="" open={open} isShown />
    </Tree>
  );
}

interface MembersProps {
  readonly value: object;
  /** Of the value in the whole. */
  readonly path: string;
  readonly open: ReadonlySet<Key>;
  /** All that the members are in is open. */
  readonly isShown: boolean;
}

/** Members are only made where they are seen, and one level below, without which keys open nothing. */
function Members({ value, path, open, isShown }: MembersProps) {
  const texts = useTextsOf(jsonTreeTexts);
  const { members, left } = useMemo(() => membersOf(value, path), [value, path]);
  return (
    <>
      {members.map((member) => (
        <MemberItem key={member.path} member={member} open={open} isShown={isShown} />
      ))}
      {left > 0 && (
        <TreeItem id={`${path} …`} textValue={texts.left(formatNumber(left))}>
          <TreeItemContent>
            <span className="soft">{texts.left(formatNumber(left))}</span>
          </TreeItemContent>
        </TreeItem>
      )}
    </>
  );
}

function MemberItem({
  member,
  open,
  isShown,
}: {
  member: Member;
  open: ReadonlySet<Key>;
  isShown: boolean;
}) {
  const texts = useTextsOf(jsonTreeTexts);
  const { path, name, value } = member;
  const inner = isNested(value) ? value : undefined;
  const text = `${name === undefined ? "" : `${JSON.stringify(name)}: `}${shortOf(value, texts)}`;
  return (
    <TreeItem id={path} textValue={text} hasChildItems={inner !== undefined}>
      <TreeItemContent>
        {inner !== undefined && <Button slot="chevron" className="chevron" />}
        <code>{plainText(text, MOST_CHARACTERS)}</code>
      </TreeItemContent>
      {inner !== undefined && isShown && (
        <Members value={inner} path={path} open={open} isShown={open.has(path)} />
      )}
    </TreeItem>
  );
}

function shortOf(value: unknown, texts: typeof jsonTreeTexts.english): string {
  if (Array.isArray(value)) return texts.list(formatNumber(value.length));
  if (isNested(value)) return texts.object(formatNumber(Object.keys(value).length));
  return JSON.stringify(value) ?? "null";
}
