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
    if (Array.isArray(part)) pushAll(waiting, part)
    else if (typeof part === 'object' && part !== null) {
      if ('extra' in part && Array.isArray(part.extra)) pushAll(waiting, part.extra)
      text += ownText(part)
    } else text += scalar(part)
  }
  return text
}

/** In reverse: the stack returns them in order. */
function pushAll(stack: unknown[], parts: readonly unknown[]): void {
  for (let i = Math.min(parts.length, MAX_PARTS) - 1; i >= 0; i--) stack.push(parts[i])
}

function ownText(part: object): string {
  if ('text' in part) return scalar(part.text)
  if ('fallback' in part) return scalar(part.fallback)
  return 'translate' in part ? scalar(part.translate) : ''
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
