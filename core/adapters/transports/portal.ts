/** Nothing has this address (RFC 5737), and nothing may have this name (RFC 6761): what answers there stands in between. */
const NOWHERE = ['http://192.0.2.1/', 'http://lantern-room.invalid/']

/**
 * Whether a login page answers in place of the internet, as in the wifi of hotels and trains. Errors of a proxy are no login.
 * @throws where nothing answers until the signal aborts
 */
export function isBehindPortal(signal: AbortSignal): Promise<boolean> {
  return Promise.any(
    NOWHERE.map(async (url) => {
      const { status, body } = await fetch(url, {
        signal,
        redirect: 'manual',
        headers: { connection: 'close' },
      })
      await body?.cancel()
      if (status >= 400 && status !== 511) throw new Error(`it answers with status ${status}`)
      return true
    }),
  )
}
