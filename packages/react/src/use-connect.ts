"use client";

import { type ConnectUI, type ConnectUIEvent, Jackfield } from "@jackfield/frontend";
import { useCallback, useEffect, useRef, useState } from "react";

type Page = Omit<
  NonNullable<Parameters<Jackfield["openConnectUI"]>[0]>,
  "sessionToken" | "onEvent"
>;

/** What `useConnect` needs; functions may be new in each render. */
export interface ConnectOptions extends Page {
  /** Address of the platform, as in `https://api.example.com`. */
  readonly host: string;
  /** Asks your backend for the token of a new connect session; called at each opening. */
  readonly getSessionToken: () => Promise<string>;
  readonly onConnect?: (
    connection: Extract<ConnectUIEvent, { type: "connect" }>["payload"],
  ) => void;
  readonly onError?: (error: Extract<ConnectUIEvent, { type: "error" }>["payload"]) => void;
  /** The overlay is gone; always the last event. */
  readonly onClose?: () => void;
}

export interface Connecting {
  /** Shows the hosted page over this one; does nothing while it is there. */
  readonly open: () => void;
  /** Takes it away. */
  readonly close: () => void;
  readonly isOpen: boolean;
}

/** The hosted page, opened by a handler of yours; it goes when the component does. */
export function useConnect(options: ConnectOptions): Connecting {
  const latest = useRef(options);
  const page = useRef<ConnectUI | undefined>(undefined);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    latest.current = options;
  });

  const close = useCallback(() => {
    if (page.current === undefined) return;
    page.current.close();
    page.current = undefined;
    setIsOpen(false);
    latest.current.onClose?.();
  }, []);

  const open = useCallback(() => {
    if (page.current !== undefined) return;
    const { host, getSessionToken, onConnect, onError, onClose, ...shown } = latest.current;
    page.current = new Jackfield({ host }).openConnectUI({
      ...shown,
      sessionToken: ask(getSessionToken),
      onEvent: (event) => {
        if (event.type === "connect") latest.current.onConnect?.(event.payload);
        else if (event.type === "error") latest.current.onError?.(event.payload);
        else if (event.type === "close") close();
      },
    });
    setIsOpen(true);
  }, [close]);

  // Nobody is there any more to hear of it.
  useEffect(() => {
    return () => {
      page.current?.close();
      page.current = undefined;
    };
  }, []);

  return { open, close, isOpen };
}

/** What the function throws is a token that does not come. */
async function ask(getSessionToken: () => Promise<string>): Promise<string> {
  return await getSessionToken();
}
