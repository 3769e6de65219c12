import assert from "node:assert";

declare const types: unique symbol;

/**
 * A point at which slices below ask slices above, without importing them.
 * The slice that owns the point declares it; app.ts alone lists who answers.
 */
export interface Hook<Input, Output> {
  readonly name: string;
  /** What holds where no slice above answers; without it somebody has to. */
  readonly unanswered?: Output;
  readonly [types]?: (input: Input) => Output;
}

export function defineHook<Input, Output = void>(
  name: string,
  options: { readonly unanswered?: Output } = {},
): Hook<Input, Output> {
  return { name, ...options };
}

export interface HookAnswer<Context> {
  readonly name: string;
  readonly answer: (ctx: Context, input: never) => Promise<unknown>;
}

export function on<Context, Input, Output>(
  hook: Hook<Input, Output>,
  answer: (ctx: Context, input: Input) => Promise<Output>,
): HookAnswer<Context> {
  return { name: hook.name, answer };
}

/** The answers of one server, in the order in which app.ts lists them. */
export class Hooks<Context> {
  readonly #answers: readonly HookAnswer<Context>[];

  constructor(answers: readonly HookAnswer<Context>[]) {
    this.#answers = answers;
  }

  /** Runs every answer in turn; the first that throws ends it. */
  async tell<Input>(hook: Hook<Input, void>, ctx: Context, input: Input): Promise<void> {
    for (const { answer } of this.#of(hook)) await answer(ctx, asAnswerInput(input));
  }

  /** The result of the one answer, or else what holds without one. */
  async ask<Input, Output>(hook: Hook<Input, Output>, ctx: Context, input: Input): Promise<Output> {
    const [first, ...others] = this.#of(hook);
    assert(others.length === 0, `${hook.name} takes one answer`);
    if (first === undefined) return withoutAnswer(hook);
    return asHookOutput<Output>(await first.answer(ctx, asAnswerInput(input)));
  }

  #of(hook: { name: string }): readonly HookAnswer<Context>[] {
    return this.#answers.filter(({ name }) => name === hook.name);
  }
}

function withoutAnswer<Input, Output>(hook: Hook<Input, Output>): Output {
  assert(hook.unanswered !== undefined, `somebody has to answer ${hook.name}`);
  return hook.unanswered;
}

// Answers are stored by name without their types; `on` has tied each to its hook's types.
function asAnswerInput(input: unknown): never {
  return input as never;
}

function asHookOutput<Output>(output: unknown): Output {
  return output as Output;
}
