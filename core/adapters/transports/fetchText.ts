import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import {
  isThisMachine,
  type Origin,
  OUTGOING_HEADERS,
  OutboundRefusal,
  type OutboundScheme,
  refusalOf,
} from '@lantern-room/base/network'
import type { Transports } from '@lantern-room/easytier/transport'
import { readText } from '../network/nodeSockets'
import { noteOwnConnection } from '../network/ownConnections'
import { describeSocketError } from './describeSocketError'

const MAX_REDIRECTS = 5
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

/** What is needed to ask a machine that may be asked. */
type Asking = Pick<Transports, 'resolve' | 'machine'> & {
  /** One exchange; tests replace it. */
  readonly get?: Get
}

/** @param addresses of the URL's host, one of which is connected to */
export type Get = (url: URL, addresses: readonly string[], signal: AbortSignal) => Promise<Answer>

type Answer = {
  readonly status: number | undefined
  readonly location: string | undefined
  /** At most 64 KiB. */
  text(): Promise<string>
  /** Closes the connection. */
  drop(): void
}

/**
 * Reads the text at an http or https address. A redirect to another scheme is itself the text: lists of nodes may be published that way.
 * Each redirect is followed here, since each is checked as what others name, but for one that leaves the host, scheme and port of
 * what was typed: a server of the user's own network may lead to its other page.
 */
export function createFetchText(asking: Asking): Transports['fetchText'] {
  return async (url, origin, signal) => {
    signal.throwIfAborted()
    try {
      return await follow(asking, new URL(url), origin, signal)
    } catch (error) {
      throw signal.aborted ? signal.reason : describeSocketError(error)
    }
  }
}

async function follow(
  asking: Asking,
  url: URL,
  origin: Origin,
  signal: AbortSignal,
  hops = 0,
): Promise<string> {
  if (hops > MAX_REDIRECTS) throw new Error('it redirects too often')
  const { get = getOnce, machine } = asking
  const addresses = await allowedAddresses(asking, url, origin, signal)
  const answer = await get(url, addresses, signal)
  try {
    const { status, location } = answer
    if (!REDIRECTS.includes(status) || location === undefined) {
      if (status === undefined || status < 200 || status > 299)
        throw new Error(`it answers with status ${status}`)
      return await answer.text()
    }
    const next = redirectTarget(url.href, location)
    if (!/^https?:$/.test(next.protocol)) return location
    const isHere = addresses.some((address) => isThisMachine(address, machine))
    const isSame = next.origin === url.origin && !isHere
    answer.drop()
    return await follow(asking, next, isSame ? origin : 'others', signal, hops + 1)
  } finally {
    answer.drop()
  }
}

/** @throws Error when the location is no address, or a plain one while this one is encrypted */
function redirectTarget(from: string, location: string): URL {
  if (!URL.canParse(location, from)) throw new Error('it redirects to nowhere')
  const target = new URL(location, from)
  if (from.startsWith('https:') && target.protocol === 'http:') {
    throw new Error('it redirects from https to http')
  }
  return target
}

/** @throws OutboundRefusal when there are only others; another Error when the name has none */
async function allowedAddresses(
  { resolve, machine }: Asking,
  url: URL,
  origin: Origin,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const scheme: OutboundScheme = url.protocol === 'https:' ? 'https' : 'http'
  const host = hostOf(url)
  const port = Number(url.port) || (scheme === 'https' ? 443 : 80)
  const hasUserInfo = url.username !== '' || url.password !== ''
  const path = url.pathname + url.search
  let refusal: OutboundRefusal | undefined
  const allowed = (await resolve(host, signal)).filter((address) => {
    const refused = refusalOf({ origin, scheme, host, port, path, hasUserInfo, address }, machine)
    refusal ??= refused
    return refused === undefined
  })
  if (allowed.length === 0) throw refusal ?? new Error('it has no address that can be used')
  return allowed
}

/** Without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Requests are rare: no connection is worth keeping open. */
export function getOnce(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
  host = url.host,
): Promise<Answer> {
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest
  return new Promise((resolve, reject) => {
    const request = send(url, {
      agent: false,
      signal,
      lookup: lookupOf(addresses),
      headers: {
        Host: host,
        Accept: '*/*',
        'User-Agent': 'LanternRoom',
        Connection: 'close',
        ...OUTGOING_HEADERS,
      },
    })
    request.on('socket', noteOwnConnection)
    // Those after the answer end the reading of its text.
    request.on('error', reject)
    request.on('response', (response: IncomingMessage) =>
      resolve({
        status: response.statusCode,
        location: response.headers.location,
        text: () => readText(response),
        drop: () => void request.destroy(),
      }),
    )
    request.end()
  })
}

/** What was checked is what is connected to. A host that is a number is looked up by no socket. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all: wantsAll }, done) => {
    const [first = { address: '', family: 0 }] = all
    if (wantsAll) done(null, all)
    else done(null, first.address, first.family)
  }
}

/** Nothing has this address (RFC 5737), and nothing may have this name (RFC 6761): what answers there stands in between. */
const NOWHERE = ['http://192.0.2.1/', 'http://lantern-room.invalid/']

/**
 * Whether a login page answers in place of the internet, as in the wifi of hotels and trains. Errors of a proxy are no login.
 * A name server that gives the name that nothing may have to a machine of the LAN stands in between, too: that machine is not asked.
 * @throws where nothing answers until the signal aborts
 */
export function createPortalProbe(asking: Asking): NonNullable<Transports['isBehindPortal']> {
  const { get = getOnce } = asking
  return (signal) => Promise.any(NOWHERE.map((url) => answersAt(new URL(url), signal)))

  async function answersAt(url: URL, signal: AbortSignal): Promise<boolean> {
    const origin = isIP(url.hostname) > 0 ? 'typed' : 'others'
    const addresses = await allowedAddresses(asking, url, origin, signal).catch((error: unknown) => {
      if (error instanceof OutboundRefusal && error.reason === 'private') return []
      throw error
    })
    if (addresses.length === 0) return true
    const { status = 500, drop } = await get(url, addresses, signal)
    drop()
    if (status >= 400 && status !== 511) throw new Error(`it answers with status ${status}`)
    return true
  }
}
