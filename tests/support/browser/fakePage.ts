/** What a request of the page was. */
export type PageRequest = { readonly path: string; readonly init: RequestInit }

/**
 * Stands in for a browser, for modules of the pages that draw nothing. To be called before they are imported, with `import()`,
 * since they read the address and the storage at once.
 * @param hash of the address
 */
export function openFakePage(hash = '') {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  const asked: PageRequest[] = []
  const page = {
    asked,
    kept,
    /** Answers the next requests. */
    answer: async (_: PageRequest): Promise<Response> => Response.json({}),
  }
  const globals = {
    location: { hash, pathname: '/', search: '' },
    history: { replaceState() {} },
    localStorage: storage,
    sessionStorage: storage,
    async fetch(path: string, init: RequestInit = {}) {
      const request = { path, init }
      asked.push(request)
      return page.answer(request)
    },
  }
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  return page
}
