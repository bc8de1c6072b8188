// What a path of the project is. All paths start at its top: `core/media/sessions/session.ts`.

const adapters = 'core/adapters/'

export function isAdapter(path: string): boolean {
  return path.startsWith(adapters)
}

/** Core outside its adapters: the part that does no I/O. */
export function isPureCore(path: string): boolean {
  return path.startsWith('core/') && !isAdapter(path)
}

/** The element of pages: it lives in a document, whose timers it uses. */
export function isElement(path: string): boolean {
  return path.startsWith('core/player/element/')
}

/** The composers of the hosts; each Lambda function composes its own routes. */
export function isCompose(path: string): boolean {
  return path.endsWith('/compose.ts') || /^handlers\/[^/]+\.ts$/.test(path)
}

export function isTest(path: string): boolean {
  return path.startsWith('tests/')
}

/** `room`, `studio` or `shared` for a part of the web pages. */
export function pageOf(path: string): string | undefined {
  return /^local-runner\/ui\/([\w.]+)/.exec(path)?.[1]
}
