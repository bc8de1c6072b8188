/** What can be led to, and read out as a whole. */
const PLACES = 'section, form, main'

/**
 * Where the keyboard goes when what it was on goes away, as a request does that is answered: to what was around it. A browser would
 * begin again at the top of the page.
 */
export function keepFocus(): void {
  let around: readonly Element[] = []
  document.addEventListener('focusin', ({ target }) => {
    around = target instanceof Element ? withAncestors(target) : []
  })
  // A press beside everything ends it, as always.
  document.addEventListener('pointerdown', () => {
    around = []
  })
  const look = () => {
    const [last] = around
    const isLost = last !== undefined && document.activeElement === document.body && !isThere(last)
    const place = isLost && around.find((one) => one.matches(PLACES) && isThere(one))
    if (!(place instanceof HTMLElement)) return
    if (!place.hasAttribute('tabindex')) place.tabIndex = -1
    place.focus({ preventScroll: true })
  }
  // An element that has become inert loses the focus a moment later.
  const observer = new MutationObserver(() => requestAnimationFrame(look))
  const attributeFilter = ['inert', 'disabled', 'open']
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter })
}

function withAncestors(element: Element): readonly Element[] {
  const { parentElement } = element
  return parentElement ? [element, ...withAncestors(parentElement)] : [element]
}

function isThere(element: Element): boolean {
  return (
    element.isConnected &&
    element.checkVisibility() &&
    !element.closest('[inert]') &&
    !element.matches(':disabled')
  )
}
