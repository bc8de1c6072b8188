import { createFakeClock, type FakeClock } from './fakeClock'

/** Runs a step whose `setTimeout` is of a clock that stands still until it is moved; the real one comes back afterwards. */
export async function withFakeTimers<T>(step: (clock: FakeClock) => Promise<T>): Promise<T> {
  const clock = createFakeClock()
  const { setTimeout, clearTimeout } = globalThis
  const fake = {
    setTimeout: (act: () => void, ms = 0) => clock.after(ms, act),
    clearTimeout: (cancel?: () => void) => cancel?.(),
  }
  Object.assign(globalThis, fake)
  try {
    return await step(clock)
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
  }
}
