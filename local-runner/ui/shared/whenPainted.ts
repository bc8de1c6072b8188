/** For browsers that do not tell when they have painted. */
const LONGEST_PAINT_MS = 1000

/**
 * Calls once, after the browser has painted the frame that the page's HTML has; at once in a tab in the background, which
 * paints nothing. An animation frame would not do: what runs after it still delays the paint.
 */
export function whenPainted(go: () => void): void {
  if (document.visibilityState === 'hidden') {
    go()
    return
  }
  let hasGone = false
  const once = () => {
    if (hasGone) return
    hasGone = true
    observer.disconnect()
    go()
  }
  const observer = new PerformanceObserver(once)
  observer.observe({ type: 'paint', buffered: true })
  setTimeout(once, LONGEST_PAINT_MS)
}
