import { assert, suite, type Test } from '#support/runner/suite'
import { present } from '../expected'
import { lifeCases } from './lifeCases'
import { meetingCases } from './meetingCases'
import type { NetworkFixture, NetworkTest, NetworkTraits } from './networkFixture'
import { streamCases } from './streamCases'

/** What every adapter of the port RoomNetwork has to do. Call it once per adapter and file. */
export function roomNetworkSuite(
  adapter: string,
  traits: NetworkTraits,
  open: () => Promise<NetworkFixture>,
  cases: readonly ((cases: NetworkTest) => void)[] = [meetingCases, streamCases, lifeCases],
): void {
  const test = suite<unknown>(`Every room network: ${adapter}`, { timeoutMs: 120_000 })
  const parts = { test, fixture: fixtureOfEachTest(test, open), traits }
  for (const add of cases) add(parts)
  test.run()
}

/** Opens a fixture for each test of a suite, which must leave nothing open. @returns the present one */
export function fixtureOfEachTest<T extends NetworkFixture>(
  test: Test<unknown>,
  open: () => Promise<T>,
): () => T {
  let under: T | undefined
  const fixture = () => present(under)
  test.before.each(async () => {
    under = await open()
  })
  test.after.each(async () => {
    const leaks = await closedLeaks(fixture())
    await fixture().close()
    assert.equal(leaks, [])
  })
  return fixture
}

/** The far end of what was closed may need a moment. */
async function closedLeaks(fixture: NetworkFixture): Promise<readonly string[]> {
  for (let turn = 0; turn < 1000 && fixture.leaks().length > 0; turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  return fixture.leaks()
}
