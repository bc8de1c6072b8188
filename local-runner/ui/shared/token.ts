import { signal } from '@preact/signals'

const KEY = 'token'

/** Sent with every request; kept as long as the tab, and never written anywhere else. */
export const token = signal<string | undefined>(takeFromAddress() ?? sessionStorage.getItem(KEY) ?? undefined)

/** Whether the service has refused a request without a token, or with a wrong one. */
export const isTokenNeeded = signal(false)

export function useToken(given: string): void {
  sessionStorage.setItem(KEY, given)
  token.value = given
  isTokenNeeded.value = false
}

/** Takes the token out of `#token=…`, so that neither history nor a copied address has it. */
function takeFromAddress(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!given) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  sessionStorage.setItem(KEY, given)
  return given
}
