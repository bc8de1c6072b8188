/** What a worker tells the runner about its one test file, in order; `done` comes last, then perhaps `held`. */
export type WorkerMessage =
  /** A step begins; the worker itself ends it after `timeoutMs`, unless its event loop is blocked. */
  | { readonly kind: 'started'; readonly name: string; readonly timeoutMs: number }
  | { readonly kind: 'passed'; readonly name: string }
  | { readonly kind: 'failed'; readonly name: string; readonly text: string }
  | { readonly kind: 'skipped'; readonly name: string; readonly reason: string }
  | { readonly kind: 'done' }
  /** The tests are over and these kinds of resources keep the process alive. */
  | { readonly kind: 'held'; readonly resources: readonly string[] }

/** How long a process may live on after its last test: on a busy machine, handles and children need seconds to close. */
export const exitGraceMs = 6_000
