import type { Test } from '../runner/suite'

type Closable = { close(): Promise<unknown> }

/** What was opened and is to be closed, the last one first. */
export type Closing = {
  /** @returns what was opened */
  keep<T extends Closable>(one: T): T
  /** The same of what is not closed by its own `close`. */
  add(close: () => Promise<unknown>): void
  close(): Promise<void>
}

export function createClosing(): Closing {
  const closing: (() => Promise<unknown>)[] = []
  return {
    keep(one) {
      closing.push(() => one.close())
      return one
    },
    add: (close) => void closing.push(close),
    async close() {
      for (const close of closing.splice(0).reverse()) await close()
    },
  }
}

/** Works with what it opens, all of which is closed after the work, whatever becomes of it. */
export async function withClosing<T>(work: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = createClosing()
  try {
    return await work(closing)
  } finally {
    await closing.close()
  }
}

/** Opens what belongs together: it is closed where that fails, and else by whoever asked for it. */
export async function openTogether<T>(open: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = createClosing()
  try {
    return await open(closing)
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** What a test of the suite opens, which is closed after that test. */
export function closingOfEachTest<T>(test: Pick<Test<T>, 'after'>): Closing {
  const closing = createClosing()
  test.after.each(closing.close)
  return closing
}
