import { useEffect, useState } from 'preact/hooks'

/** Whether the first frame has been painted. What waits for it is laid out in a task of its own, so that neither is long. */
export function usePainted(): boolean {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => setPainted(true), [])
  return isPainted
}
