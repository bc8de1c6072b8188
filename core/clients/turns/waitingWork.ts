import { clientInKey, clientKey, type Objects } from '../objects'

/**
 * Which work of which client waits for a worker: an empty object for each, from when it is asked for until it begins. Queues tell nobody
 * what is in them; by these a worker finds the clients behind another one's backlog.
 */

/** Below it are these objects, in folders by client. */
export const WAITING_PREFIX = 'waiting/'

export type WaitingWork = {
  /** The name of the client; undefined for all that have none. */
  readonly client: string | undefined
  /** When it was asked for: Unix time in milliseconds. */
  readonly sinceMs: number
  /** 32 characters: what `work` gets to know. */
  readonly id: string
}

export function keyOfWaiting({ client, sinceMs, id }: WaitingWork): string {
  return `${folderOf(client)}${String(sinceMs).padStart(DIGITS, '0')}-${id}`
}

/** What each client has waited for longest. Costs a listing for each of them, and one more. */
export async function firstOfEachClient(store: Pick<Objects, 'list'>): Promise<readonly WaitingWork[]> {
  const all: WaitingWork[] = []
  let after: string | undefined
  for (;;) {
    const key = await firstKey(store, after)
    if (key === undefined) return all
    const found = readKey(key)
    if (found) all.push(found)
    // Behind everything in its folder.
    after = `${key.slice(0, key.lastIndexOf('/') + 1)}~`
  }
}

async function firstKey(
  store: Pick<Objects, 'list'>,
  after: string | undefined,
): Promise<string | undefined> {
  for await (const { key } of store.list(WAITING_PREFIX, after)) return key
  return undefined
}

const DIGITS = 15

function folderOf(client: string | undefined): string {
  return client === undefined ? `${WAITING_PREFIX}u/` : `${WAITING_PREFIX}${clientKey(client)}/`
}

function readKey(key: string): WaitingWork | undefined {
  const [, folder = '', since, id] = /^waiting\/(u|c-[^/]+)\/(\d{15})-([0-9a-f]{32})$/.exec(key) ?? []
  return id === undefined ? undefined : { client: clientInKey(folder), sinceMs: Number(since), id }
}
