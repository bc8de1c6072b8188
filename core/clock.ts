/** Time, so that tests can hold it. */
export type Clock = {
  /** Milliseconds that never jump back. */
  now(): number
  /** Unix time in milliseconds. */
  unixTime(): number
  /** @returns a function that cancels. Never keeps the process alive by itself. */
  after(ms: number, act: () => void): () => void
}
