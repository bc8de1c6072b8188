import { findNatPmpRouter } from './natPmpRouter'
import type { FindRouterOptions, Router } from './routers'
import { findUpnpRouter } from './upnpRouter'

/** The first router that opens ports, by either protocol. @throws Error when there is none, or the signal's reason */
export async function findRouter(options: FindRouterOptions, signal: AbortSignal): Promise<Router> {
  const others = new AbortController()
  const either = AbortSignal.any([signal, others.signal])
  try {
    return await Promise.any([findNatPmpRouter(options, either), findUpnpRouter(options, either)])
  } finally {
    others.abort(new Error('a router is found'))
  }
}
