import { type DirectHost, type DirectOptions, startDirectHost } from '#support/hosts/directHost'
import type { Settings } from '#support/process/serverProcess'
import type { Test } from '#support/runner/suite'
import { eventually } from '#support/values/until'
import { childProcesses } from '../ports/leaks'

/** Starts a host, which is stopped after the test. */
export type StartHost = (settings?: Settings, options?: DirectOptions) => Promise<DirectHost>

/** @param leftIn what the work of a test has left in a data folder; it must be nothing */
export function hostsOf<T>(
  test: Test<T>,
  leftIn: (dataDir: string) => Promise<readonly string[]>,
): StartHost {
  const hosts: DirectHost[] = []
  test.after.each(async () => {
    for (const { dataDir } of hosts)
      await eventually(
        () => leftIn(dataDir),
        (left) => left.length === 0,
        { ms: 20_000 },
      )
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
    await eventually(
      async () => (await childProcesses()).filter((one) => !children.includes(one)),
      (left) => left.length === 0,
      { ms: 20_000 },
    )
  })
}
