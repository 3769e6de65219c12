import { useEffect, useRef } from "react";

const SIDE = 48;

/** Draws the image: the page's policy lets no `data:` address in as an image. */
export function LogoPreview({ logo }: { logo: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    let isCurrent = true;
    context?.clearRect(0, 0, SIDE, SIDE);
    createImageBitmap(toBlob(logo)).then(
      (image) => {
        const scale = SIDE / Math.max(image.width, image.height);
        const [width, height] = [image.width * scale, image.height * scale];
        if (!isCurrent) return;
        context?.drawImage(image, (SIDE - width) / 2, (SIDE - height) / 2, width, height);
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [logo]);
  return <canvas ref={canvas} className="app-logo" width={SIDE} height={SIDE} />;
}

function toBlob(url: string): Blob {
  const [head = "", text = ""] = url.split(",", 2);
  const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
  return new Blob([bytes], { type: head.slice("data:".length).replace(";base64", "") });
}
