import { readText } from '../network/nodeSockets'
import { describeSocketError } from './describeSocketError'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * The text at an http or https address. A redirect to another scheme is itself the text: lists of nodes may be
 * published that way.
 * A redirect from https to http is refused: the address may be a stranger's, and the other one in this machine's LAN.
 * @throws Error in a few words, or the signal's reason
 */
export async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  try {
    return await follow(url, signal)
  } catch (error) {
    throw signal.aborted ? signal.reason : describeSocketError(error)
  }
}

async function follow(url: string, signal: AbortSignal, hops = 0): Promise<string> {
  if (hops > MAX_REDIRECTS) throw new Error('it redirects too often')
  const response = await get(url, signal)
  const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
  if (location === null && response.ok) return await readText(response.body ?? [])
  await response.body?.cancel()
  if (location === null) throw new Error(`it answers with status ${response.status}`)
  const next = redirectTarget(url, location)
  return /^https?:$/.test(next.protocol) ? follow(next.href, signal, hops + 1) : location
}

/** @throws Error when the location is no address, or a plain one while this one is encrypted */
export function redirectTarget(from: string, location: string): URL {
  if (!URL.canParse(location, from)) throw new Error('it redirects to nowhere')
  const target = new URL(location, from)
  if (from.startsWith('https:') && target.protocol === 'http:') {
    throw new Error('it redirects from https to http')
  }
  return target
}

function get(url: string, signal: AbortSignal): Promise<Response> {
  // Requests are rare: no connection is worth keeping open.
  return fetch(url, { signal, redirect: 'manual', headers: { connection: 'close' } })
}

/** Nothing has this address (RFC 5737), and nothing may have this name (RFC 6761): what answers there stands in between. */
const NOWHERE = ['http://192.0.2.1/', 'http://lantern-room.invalid/']

/**
 * Whether a login page answers in place of the internet, as in the wifi of hotels and trains. Errors of a proxy are no login.
 * @throws where nothing answers until the signal aborts
 */
export function isBehindPortal(signal: AbortSignal): Promise<boolean> {
  return Promise.any(
    NOWHERE.map(async (url) => {
      const { status, body } = await get(url, signal)
      await body?.cancel()
      if (status >= 400 && status !== 511) throw new Error(`it answers with status ${status}`)
      return true
    }),
  )
}
