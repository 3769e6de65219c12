import { expect, test } from "vitest";
import { cpuMsOf } from "../../../../tests/cpu-time.ts";
import { encodeFrame, FrameDecoder, type FrameRules, TRUSTED_FRAMES } from "./frames.ts";

function bytesOf(head: unknown, body?: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat(encodeFrame(head, body)));
}

function decode(decoder: FrameDecoder, bytes: Uint8Array, size: number) {
  const frames = [];
  for (let at = 0; at < bytes.byteLength; at += size) {
    frames.push(...decoder.push(bytes.subarray(at, at + size)));
  }
  return frames.map(({ head, body }) => [head, Buffer.from(body).toString()]);
}

test.each([1, 2, 3, 7, 8, 9, 100, 10_000])("frames are cut from chunks of %s bytes", (size) => {
  const bytes = Buffer.concat([
    bytesOf({ n: 1 }),
    bytesOf({ n: 2 }, Buffer.from("body")),
    bytesOf({ n: "ü".repeat(50) }, Buffer.from("b".repeat(500))),
    bytesOf({ n: 4 }),
  ]);

  expect(decode(new FrameDecoder(TRUSTED_FRAMES), bytes, size)).toEqual([
    [{ n: 1 }, ""],
    [{ n: 2 }, "body"],
    [{ n: "ü".repeat(50) }, "b".repeat(500)],
    [{ n: 4 }, ""],
  ]);
});

test("a frame costs linear time, however small its chunks are", async () => {
  const cpuOf = async (bytes: number, chunk: number) => {
    const frame = bytesOf({}, new Uint8Array(bytes));
    return await cpuMsOf(() => {
      expect(decode(new FrameDecoder(TRUSTED_FRAMES), frame, chunk)).toHaveLength(1);
    });
  };

  // Copying all for each chunk would take minutes.
  expect(await cpuOf(100 * 1024 * 1024, 64 * 1024)).toBeLessThan(3000);
  expect(await cpuOf(2 * 1024 * 1024, 1)).toBeLessThan(3000);
});

test("memory grows with what arrives, not with what is announced", () => {
  const prefix = new Uint8Array(8);
  new DataView(prefix.buffer).setUint32(4, 100 * 1024 * 1024);
  new DataView(prefix.buffer).setUint32(0, 2);
  const before = process.memoryUsage().arrayBuffers;

  const decoders = Array.from({ length: 50 }, () => {
    const decoder = new FrameDecoder(TRUSTED_FRAMES);
    decoder.push(prefix);
    decoder.push(Buffer.from("{}x"));
    return decoder;
  });

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  expect(decoders).toHaveLength(50);
});

test("a head is read, and may be refused, before its body has come", () => {
  const seen: number[] = [];
  const rules: FrameRules<unknown> = {
    ...TRUSTED_FRAMES,
    readHead: (_head, bodyBytes) => {
      seen.push(bodyBytes);
      throw new Error("refused");
    },
  };
  const frame = bytesOf({ a: 1 }, new Uint8Array(1000));

  expect(() => new FrameDecoder(rules).push(frame.subarray(0, 20))).toThrow("refused");
  expect(seen).toEqual([1000]);
});

test("a frame that is not admitted waits, with what follows, until it is", () => {
  let mayPass = false;
  const asked: number[] = [];
  const rules: FrameRules<unknown> = {
    ...TRUSTED_FRAMES,
    admit: (bytes) => {
      asked.push(bytes);
      return mayPass;
    },
  };
  const decoder = new FrameDecoder(rules);
  const large = bytesOf({ n: 1 }, Buffer.from("x".repeat(1000)));
  const bytes = Buffer.concat([bytesOf({ n: 0 }), large, large, bytesOf({ n: 2 })]);

  const first = decode(decoder, bytes, 300);
  mayPass = true;
  const rest = decoder.resume();

  expect(first).toEqual([[{ n: 0 }, ""]]);
  expect(rest.map(({ head }) => head)).toEqual([{ n: 1 }, { n: 1 }, { n: 2 }]);
  expect(asked).toEqual([1007, 1007]);
});
