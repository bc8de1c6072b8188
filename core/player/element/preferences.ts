/**
 * Whether nothing may move or be fetched that was not asked for by a press, a click or a key: the person wants less motion, or
 * pays for data.
 */
export function wantsQuiet(): boolean {
  const wishes = ['(prefers-reduced-motion: reduce)', '(prefers-reduced-data: reduce)']
  return isDataSaved() || wishes.some((wish) => matchMedia(wish).matches)
}

/** Only some browsers have it. @see W3C, Save Data API */
function isDataSaved(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  return connection?.saveData === true
}
