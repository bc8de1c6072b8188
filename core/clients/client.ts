import type { ServiceToken } from './tokens'

/** The origin of a request, in the detail needed to tell clients apart. */
export type Client = {
  /** Clients with the same id share one turn in the queue. */
  readonly id: string
  /** Of its token; undefined = it has none, and is told apart by its address. */
  readonly name?: string | undefined
} & Partial<Pick<ServiceToken, 'maxJobs' | 'maxUploadBytes'>>

/** A request's client, and the signal that aborts when it disconnects or the host ends the request. */
export type Caller = { readonly client: Client; readonly signal: AbortSignal }

/**
 * The largest upload of a client.
 * @param bytes the service's own limit
 * @example uploadLimitOf({ id: '192.0.2.7' }, 1_000_000) // 1_000_000
 */
export function uploadLimitOf(client: Client, bytes: number): number {
  return Math.min(bytes, client.maxUploadBytes ?? bytes)
}

/**
 * The client of a request: the name of its token, or else its address.
 * @param token undefined where the request has none
 * @example clientOf(undefined, '192.0.2.7') // { id: '192.0.2.7' }
 */
export function clientOf(token: ServiceToken | undefined, address: string): Client {
  if (token?.name === undefined) return { id: address }
  const { name, maxJobs, maxUploadBytes } = token
  return { id: `token ${name}`, name, maxJobs, maxUploadBytes }
}

/**
 * The client whose name was kept when its request was left to later. One whose token has gone since has no limits of its own.
 * @param id where there is no name
 * @example clientNamed(config.tokens, message.client, 'queue')
 */
export function clientNamed(tokens: readonly ServiceToken[], name: string | undefined, id: string): Client {
  return clientOf(name === undefined ? undefined : tokens.find((token) => token.name === name), id)
}

/**
 * A field of log lines and metrics: the client's name, and nothing for a client without one.
 * @example log.info('request', { status, ...shownClient(client) })
 */
export function shownClient({ name }: Pick<Client, 'name'>): { readonly client?: string } {
  return name === undefined ? {} : { client: name }
}
