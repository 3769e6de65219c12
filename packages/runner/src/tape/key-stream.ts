/** ChaCha20 (RFC 8439) of a seed of 64 hexadecimal digits: nobody without the seed can tell what comes next. */
export class KeyStream {
  readonly #state = new Uint32Array(16);
  readonly #block = new Uint32Array(16);
  readonly #bytes = new Uint8Array(this.#block.buffer);
  #at = 64;

  constructor(seed: string) {
    this.#state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (let at = 0; at < 8; at += 1) {
      this.#state[4 + at] = Number.parseInt(seed.slice(8 * at, 8 * at + 8), 16);
    }
  }

  fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#at === 64) this.#next();
      bytes[at] = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
    }
  }

  /** A whole number of so many bits, up to 53. */
  bits(count: number): number {
    const bytes = new Uint8Array(7);
    this.fill(bytes);
    let value = 0;
    for (let at = 0; at < 7; at += 1) value = value * 256 + (bytes[at] ?? 0);
    // 56 bits do not fit a number: the last three are cut off before.
    return Math.floor((value % 2 ** 53) / 2 ** (53 - count));
  }

  #next(): void {
    const block = this.#block;
    block.set(this.#state);
    for (let round = 0; round < 10; round += 1) {
      for (let column = 0; column < 4; column += 1) {
        quarter(block, [column, 4 + column, 8 + column, 12 + column]);
      }
      for (let column = 0; column < 4; column += 1) {
        const at = (row: number) => 4 * row + ((column + row) % 4);
        quarter(block, [at(0), at(1), at(2), at(3)]);
      }
    }
    for (let at = 0; at < 16; at += 1) block[at] = (block[at] ?? 0) + (this.#state[at] ?? 0);
    this.#state[12] = (this.#state[12] ?? 0) + 1;
    this.#at = 0;
  }
}

function quarter(block: Uint32Array, [a, b, c, d]: readonly [number, number, number, number]) {
  const step = (x: number, y: number, z: number, turn: number) => {
    block[x] = (block[x] ?? 0) + (block[y] ?? 0);
    const mixed = (block[z] ?? 0) ^ (block[x] ?? 0);
    block[z] = (mixed << turn) | (mixed >>> (32 - turn));
  };
  step(a, b, d, 16);
  step(c, d, b, 12);
  step(a, b, d, 8);
  step(c, d, b, 7);
}
