import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployed } from './account'

/** Whether a deployed service works: asked in the end of a deployment. */

/** With the last answer in one line. */
type Health = { readonly works: boolean; readonly said: string }

/** `isFinal` when asking again would change nothing. */
type Answer = Health & { readonly isFinal?: boolean }

/** A new name and a new function take a while. */
const TRIES = 12
const PAUSE_MS = 5000

/** Asks the service whether it works, until it does or a minute is over. */
export async function askHealth({ outputs, token }: Deployed): Promise<Health> {
  const url = `${outputs.ServiceEndpoint}/health`
  return untilItWorks(async () => {
    const { status, said } = await get(url, token === undefined ? {} : { Authorization: `Bearer ${token}` })
    // A refused token does not become right.
    return { works: status === 200, said, isFinal: status === 401 }
  })
}

/**
 * The same behind an authorizer, which lets in clients with rights that the deployer need not have: the function of `/health` is called
 * without the gateway, and the gateway is asked for what is open. An unknown preview is 404 by the service itself.
 * @param call sends an event to the function of `/health`
 */
export async function askBehindAuthorizer(
  { outputs }: Pick<Deployed, 'outputs'>,
  call: (event: string) => Promise<string>,
  pause = () => sleep(PAUSE_MS),
): Promise<Health> {
  const url = `${outputs.ServiceEndpoint}/preview/${'0'.repeat(32)}.mp4`
  return untilItWorks(async () => {
    const health = await askFunction(call)
    if (!health.works) return health
    const { status, said } = await get(url, {})
    const isOfService = status === 404 && said.includes('"not-found"')
    return { works: isOfService, said: isOfService ? `${health.said}; ${said}` : said }
  }, pause)
}

async function untilItWorks(
  ask: () => Promise<Answer>,
  pause: () => Promise<unknown> = () => sleep(PAUSE_MS),
): Promise<Health> {
  for (let tried = 1; ; tried++) {
    const { works, said, isFinal } = await ask()
    if (works || isFinal || tried === TRIES) return { works, said }
    await pause()
  }
}

/** @returns `status` undefined where nothing answers */
async function get(url: string, headers: Readonly<Record<string, string>>) {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) })
    const { status } = response
    return { status, said: `GET ${url}: ${status} ${await response.text()}`.trim() }
  } catch (error) {
    const { cause, message } = error as Error
    return { status: undefined, said: `GET ${url}: ${cause instanceof Error ? cause.message : message}` }
  }
}

/** A request as the gateway would pass it on. */
export const HEALTH_EVENT = {
  httpMethod: 'GET',
  path: '/health',
  resource: '/health',
  headers: {},
  multiValueHeaders: {},
  requestContext: { path: '/health', stage: '' },
  isBase64Encoded: false,
  body: null,
}

async function askFunction(call: (event: string) => Promise<string>): Promise<Health> {
  const name = 'the function of /health'
  try {
    const text = await call(JSON.stringify(HEALTH_EVENT))
    return {
      works: statusIn(text) === 200,
      said: `${name} answers ${text.replaceAll('\0', '').slice(0, 300)}`,
    }
  } catch (error) {
    return { works: false, said: `${name} cannot be called: ${(error as Error).message}` }
  }
}

/** A streamed response is its status and headers in JSON, eight zeros, and the body. */
function statusIn(text: string): number | undefined {
  try {
    return JSON.parse(text.split('\0')[0] ?? '').statusCode
  } catch {
    return undefined
  }
}
