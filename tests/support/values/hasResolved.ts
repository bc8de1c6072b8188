/** @returns whether the promise has resolved by the time of the call; a rejection stays unhandled, and fails the test */
export function hasResolved(work: Promise<unknown>): () => boolean {
  let isOver = false
  void work.then(() => {
    isOver = true
  })
  return () => isOver
}
