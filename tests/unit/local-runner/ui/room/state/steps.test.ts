import { assert, suite } from '#support/runner/suite'
import {
  type AttemptProgress,
  nextProgress,
  stepsOf,
} from '../../../../../../local-runner/ui/room/state/steps'

const test = suite('steps of a room')

/** Statuses one after the other, each with the time at which it came. @returns what the bar shows a second later */
function shown(
  ...seen: readonly (readonly [state: string, at: number, stage?: string, errorCode?: string])[]
) {
  let progress: AttemptProgress | undefined
  let last = 0
  for (const [state, at, stage = null, errorCode = null] of seen) {
    progress = nextProgress(progress, { state, stage, errorCode }, at)
    last = at
  }
  return progress && stepsOf(progress, last + 1000).map(({ name, state, tookMs }) => [name, state, tookMs])
}

test('nothing is in progress while nothing runs', () => {
  assert.is(shown(['Idle', 0]), undefined)
  assert.is(shown(['Host_Running', 0], ['Stopping', 5], ['Idle', 9]), undefined)
})

test('a host goes through its steps, each with the time it took', () => {
  assert.equal(
    shown(['Host_Prepare', 100], ['Host_GameDetecting', 200], ['Host_ScaffoldingStarting', 2100]),
    [
      ['scanning', 'done', 2000],
      ['opening', 'current', 1000],
      ['ready', 'ahead', undefined],
    ],
  )
  assert.equal(shown(['Host_Prepare', 100], ['Host_NetworkStarting', 2100], ['Host_Running', 2600]), [
    ['scanning', 'done', 2000],
    ['opening', 'done', 500],
    ['ready', 'done', undefined],
  ])
})

test('a step that went by unseen took no time; what was before the page came is unknown', () => {
  assert.equal(shown(['Guest_Prepare', 100], ['Guest_ConnectingScaffolding', 1100]), [
    ['connecting', 'done', 1000],
    ['finding', 'done', 0],
    ['forward', 'current', 1000],
    ['inside', 'ahead', undefined],
  ])
  assert.equal(shown(['Guest_Running', 100]), [
    ['connecting', 'done', undefined],
    ['finding', 'done', undefined],
    ['forward', 'done', undefined],
    ['inside', 'done', undefined],
  ])
})

test('the step that failed is marked, and another try begins anew', () => {
  const failed = [
    ['Guest_Prepare', 100],
    ['Guest_DiscoveringCenter', 600],
    ['Error', 2000, 'Guest_DiscoveringCenter'],
  ] as const
  assert.equal(shown(...failed)?.slice(0, 2), [
    ['connecting', 'done', 500],
    ['finding', 'failed', undefined],
  ])
  assert.equal(shown(...failed, ['Guest_Prepare', 5000])?.[0], ['connecting', 'current', 1000])
})

test('a network or a world that is gone failed at its own step, also when it shows later', () => {
  const guest = shown(
    ['Guest_Prepare', 0],
    ['Guest_DiscoveringCenter', 500],
    ['Error', 900, 'Guest_DiscoveringCenter', 'no-internet'],
  )
  assert.equal(guest?.slice(0, 2), [
    ['connecting', 'failed', undefined],
    ['finding', 'ahead', undefined],
  ])
  const host = shown(['Host_Prepare', 0], ['Host_Running', 500], ['Error', 900, 'Host_Running', 'game-gone'])
  assert.equal(host?.[0], ['scanning', 'failed', undefined])
})

test('a guest who lost the host is one step back, and the time before does not count', () => {
  const steps = shown(['Guest_Prepare', 0], ['Guest_Running', 900], ['Guest_Reconnecting', 9000])
  assert.equal(steps?.[2], ['forward', 'current', 1000])
})

test('a failure without a known stage has no bar', () => {
  assert.is(shown(['Error', 0]), undefined)
})

test.run()
