/** A component tree may be as wide or deep as a packet is long; further components are ignored. */
const MAX_PARTS = 2000
const MAX_LENGTH = 4096

/**
 * The text of a component: a string, a list of components, or an object with `text` (or the key of a translation) and
 * then the components in `extra`. Uses an explicit stack, so that no depth can overflow the call stack.
 */
export function flattenText(component: unknown): string {
  const waiting: unknown[] = [component]
  let text = ''
  for (let parts = 0; waiting.length > 0 && parts < MAX_PARTS && text.length < MAX_LENGTH; parts++) {
    const part = waiting.pop()
    text += ownText(part)
    pushAll(waiting, childrenOf(part))
  }
  return text
}

/** In reverse: the stack returns them in order. */
function pushAll(stack: unknown[], parts: readonly unknown[]): void {
  for (let i = Math.min(parts.length, MAX_PARTS) - 1; i >= 0; i--) stack.push(parts[i])
}

function childrenOf(component: unknown): readonly unknown[] {
  if (Array.isArray(component)) return component
  const hasExtra = typeof component === 'object' && component !== null && 'extra' in component
  return hasExtra && Array.isArray(component.extra) ? component.extra : []
}

function ownText(component: unknown): string {
  if (typeof component !== 'object' || component === null) return scalar(component)
  if ('text' in component) return scalar(component.text)
  if ('fallback' in component) return scalar(component.fallback)
  return 'translate' in component ? scalar(component.translate) : ''
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
