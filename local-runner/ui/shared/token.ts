import { signal } from '@preact/signals'

const KEY = 'token'

const given = takeFromAddress()

/** The invitation with which the page was opened, such as `1.eyJj….3q2-…`. */
export const givenInvitation = given.invitation
/** A photo on the service, put there by another device: its upload. */
export const givenPhoto = given.photo

/** Sent with every request; kept as long as the tab, and never written anywhere else. */
export const token = signal<string | undefined>(given.token || sessionStorage.getItem(KEY) || undefined)

/** Whether the service has refused a request without a token, or with a wrong one. */
export const isTokenNeeded = signal(false)

export function useToken(given: string): void {
  sessionStorage.setItem(KEY, given)
  token.value = given
  isTokenNeeded.value = false
}

/** Takes `#token=…&invitation=…&photo=…` out of the address, so that neither history nor a copied address has it. */
function takeFromAddress() {
  const all = new URLSearchParams(location.hash.slice(1))
  const { token, invitation, photo } = Object.fromEntries(all)
  if (token || invitation || photo) history.replaceState(null, '', location.pathname + location.search)
  if (token) sessionStorage.setItem(KEY, token)
  return { token, invitation: invitation || undefined, photo }
}
