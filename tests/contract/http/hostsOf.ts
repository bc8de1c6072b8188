import type { MediaConfig } from '@lantern-room/media'
import { type DirectHost, type DirectOptions, startDirectHost } from '#support/hosts/directHost'
import type { Settings } from '#support/process/serverProcess'
import type { Test } from '#support/runner/suite'
import { laterStore } from '#support/store/laterStore'
import { eventually } from '#support/values/until'
import { childProcesses } from '../ports/leaks'

/** Starts a host, which is stopped after the test. */
export type StartHost = (settings?: Settings, options?: DirectOptions) => Promise<DirectHost>

/** With other limits than the settings can say. */
export function limitedTo(limits: Partial<MediaConfig['limits']>): DirectOptions {
  return { configure: (config) => ({ ...config, limits: { ...config.limits, ...limits } }) }
}

/** With a time that a test sets, for the machine and for the store. */
export function atTime(unixTime: () => number): DirectOptions {
  return {
    machine: ({ clock, store }) => ({
      clock: { ...clock, unixTime },
      store: laterStore(store, () => unixTime() - Date.now()),
    }),
  }
}

/** The requests in the log, as `GET /route 200`. */
export function requestsIn({ log }: DirectHost): string[] {
  const requests = log.filter(({ message }) => message === 'request')
  return requests.map(({ method, route, status }) => `${method} ${route} ${status}`)
}

/** @param leftIn what the work of a test has left in a data folder; it must be nothing */
export function hostsOf<T>(
  test: Test<T>,
  leftIn: (dataDir: string) => Promise<readonly string[]>,
): StartHost {
  const hosts: DirectHost[] = []
  test.after.each(async () => {
    for (const { dataDir } of hosts) await untilEmpty(() => leftIn(dataDir))
    await Promise.all(hosts.splice(0).map((host) => host.stop()))
  })
  return async (settings = {}, options = {}) => {
    const host = await startDirectHost(settings, options)
    hosts.push(host)
    return host
  }
}

/** After each test no child process runs but those of `first`: the guard of the child processes starts with it and stays. */
export function leavesNoChild<T>(test: Test<T>, first: () => Promise<unknown>): void {
  let children: readonly string[] = []
  test.before(async () => {
    await first()
    children = await childProcesses()
  })
  test.after.each(async () => {
    await untilEmpty(async () => (await childProcesses()).filter((one) => !children.includes(one)))
  })
}

/** Waits until nothing is left; fails when something stays. */
export async function untilEmpty(left: () => Promise<readonly string[]>): Promise<void> {
  await eventually(left, ({ length }) => length === 0, { ms: 20_000 })
}
