/** The time as a dependency, so that tests can control it. */
export type Clock = {
  /** Monotonic time in milliseconds. */
  now(): number
  /** Unix time in milliseconds. */
  unixTime(): number
  /** @returns a function that cancels. Never keeps the process alive by itself. */
  after(ms: number, act: () => void): () => void
}
