import { ServiceError } from '#core/errors'
import { type Listening, listen } from '../listen'

/** Idle connections are closed soon: they would keep the program from ending. */
const KEEP_ALIVE_MS = 5000

export type TrialServer = {
  /** Its addresses, the best one first, each with the token as its path: `http://192.168.1.2:8123/…/`. */
  readonly links: readonly string[]
  /** Closes every connection. */
  close(): void
}

/**
 * Serves an app on one port of several addresses of this machine. An address on which that port is taken is left out.
 * @param at.hosts at least one; the first one must be possible
 * @param at.port 0 for a free one
 * @param at.token becomes the path of the links
 * @param createApp given the links, which are there once the app is called
 * @throws ServiceError `unavailable`
 */
export async function serveTrial(
  at: { readonly hosts: readonly string[]; readonly port: number; readonly token: string },
  createApp: (links: () => readonly string[]) => (request: Request) => Promise<Response>,
): Promise<TrialServer> {
  const listening: Listening[] = []
  const links = () => listening.map(({ url }) => `${url}/${at.token}/`)
  const app = createApp(links)
  for (const host of at.hosts) {
    const port = listening[0]?.port ?? at.port
    const opened = await listen(app, { host, port, name: '--port' }, { keepAliveMs: KEEP_ALIVE_MS }).catch(
      (error: unknown) => {
        if (listening.length === 0 || !(error instanceof ServiceError)) throw error
        return undefined
      },
    )
    if (opened) listening.push(opened)
  }
  return {
    links: links(),
    close() {
      for (const each of listening) {
        void each.close()
        each.cut()
      }
    },
  }
}
