import type { Server } from 'node:net'
import type { networkInterfaces } from 'node:os'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createDeferred } from '@lantern-room/base/async'
import type { Connection, Transports } from '@lantern-room/easytier/transport'
import { assert } from '#support/runner/suite'

export type Line = { readonly message: string; readonly fields: Record<string, unknown> | undefined }

/** As Node lists them, by name. */
export type NetworkInterfaces = ReturnType<typeof networkInterfaces>

/** On loopback only, by default. */
export function loopback(
  setting: {
    readonly clock?: Clock
    readonly interfaces?: readonly string[] | undefined
    readonly scan?: () => NetworkInterfaces
    readonly warnings?: Line[]
  } = {},
): Transports {
  const { clock = createSystemClock(), scan, warnings = [] } = setting
  const nothing = () => {}
  const warn = (message: string, fields?: Record<string, unknown>) => void warnings.push({ message, fields })
  const log: Log = { debug: nothing, info: nothing, warn, error: warn }
  return createNodeTransports({
    clock,
    log,
    lanInterfaces: 'interfaces' in setting ? setting.interfaces : ['127.0.0.1'],
    ...(scan ? { networkInterfaces: scan } : {}),
  })
}

/** Two ends of one TCP connection over the port. */
export async function tcpPair(
  transports: Transports,
  signal: AbortSignal,
): Promise<[Connection, Connection]> {
  const accepted = createDeferred<Connection>()
  const listener = new AbortController()
  const { port, closed } = await transports.listenTcp(0, accepted.resolve, listener.signal)
  const near = await transports.dialTcp({ address: '127.0.0.1', port }, signal)
  const far = await accepted.promise
  listener.abort()
  await closed
  return [near, far]
}

export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The message of a promise's rejection. */
export function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

/** Work that is given a signal rejects with its reason, whether it has aborted before or aborts in the middle. */
export async function endsBySignal(work: (signal: AbortSignal) => Promise<unknown>, ms = 0): Promise<void> {
  const reason = new Error('changed my mind')
  assert.is(await failure(work(AbortSignal.abort(reason))), reason.message)
  const controller = new AbortController()
  const failed = failure(work(controller.signal))
  if (ms > 0) await turn(ms)
  controller.abort(reason)
  assert.is(await failed, reason.message)
}

/** The test's own time limit ends it when it never holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn()
}

/** Lets sockets get their turn. */
export function turn(ms = 1): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
