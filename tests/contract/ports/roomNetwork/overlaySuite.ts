import * as assert from 'uvu/assert'
import { suite } from '#support/runner/suite'
import type { OverlayGround, OverlayTraits } from './ground'
import { lifeCases } from './lifeCases'
import { meetingCases } from './meetingCases'
import { streamCases } from './streamCases'

/** What every adapter of the port Overlay has to do. Call it once per adapter and file. */
export function overlaySuite(
  adapter: string,
  traits: OverlayTraits,
  open: () => Promise<OverlayGround>,
): void {
  const test = suite<unknown>(`Every overlay: ${adapter}`, { timeoutMs: 120_000 })
  let under: OverlayGround | undefined
  const ground = () => {
    if (!under) throw new Error('no ground')
    return under
  }

  test.before.each(async () => {
    under = await open()
  })
  test.after.each(async () => {
    const leaks = await closedLeaks(ground())
    await ground().close()
    assert.equal(leaks, [])
  })
  const cases = { test, ground, traits }
  meetingCases(cases)
  streamCases(cases)
  lifeCases(cases)
  test.run()
}

/** The far end of what was closed may need a moment. */
async function closedLeaks(ground: OverlayGround): Promise<readonly string[]> {
  for (let turn = 0; turn < 100 && ground.leaks().length > 0; turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  return ground.leaks()
}
