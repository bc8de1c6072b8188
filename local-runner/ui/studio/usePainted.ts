import { useEffect, useState } from 'preact/hooks'

/** Whether the frame without what waits for it is painted: laid out together they would make one long task. */
export function usePainted(): boolean {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => setPainted(true), [])
  return isPainted
}
