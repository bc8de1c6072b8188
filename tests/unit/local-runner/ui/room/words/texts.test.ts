import type { Stage } from '@lantern-room/room/client'
import { assert, suite } from '#support/runner/suite'
import type { RoomStatus } from '../../../../../../local-runner/ui/room/state/records'
import {
  failureOf,
  findingOf,
  newsOf,
  noticeOf,
  refusalOf,
  relayedOf,
  sentenceOf,
} from '../../../../../../local-runner/ui/room/words/texts'
import { language } from '../../../../../../local-runner/ui/shared/language'

const test = suite('what is going on, in a sentence')

test.after.each(() => {
  language.value = 'en'
})

const IDLE: RoomStatus = {
  state: 'Idle',
  role: null,
  error: null,
  errorCode: null,
  stage: null,
  hint: null,
  hintCode: null,
  roomCode: null,
  private: null,
  approval: null,
  allowed: null,
  players: [],
  guests: [],
  connections: [],
  gamePort: 0,
  ports: [],
  network: null,
  lastUpdate: '2026-01-01T00:00:00Z',
}
const STAGES = Object.keys({
  Idle: true,
  Stopping: true,
  Host_Prepare: true,
  Host_GameDetecting: true,
  Host_ScaffoldingStarting: true,
  Host_NetworkStarting: true,
  Host_Running: true,
  Guest_Prepare: true,
  Guest_NetworkStarting: true,
  Guest_DiscoveringCenter: true,
  Guest_ConnectingScaffolding: true,
  Guest_AwaitingApproval: true,
  Guest_Reconnecting: true,
  Guest_Running: true,
  Error: true,
} satisfies Record<Stage, true>) as Stage[]
const isChinese = (text = '') => /\p{Script=Han}/u.test(text)

test('each state has a sentence in both languages', () => {
  for (const state of STAGES) {
    language.value = 'en'
    const english = sentenceOf({ ...IDLE, state, error: 'It broke.', errorCode: 'internal' })
    assert.is.not(english, state)
    assert.not.ok(isChinese(english), english)
    language.value = 'zh-CN'
    assert.ok(isChinese(sentenceOf({ ...IDLE, state, error: 'It broke.', errorCode: 'internal' })), state)
  }
})

test('a state that a newer service has is shown by its name', () => {
  assert.is(sentenceOf({ ...IDLE, state: 'Guest_Teleporting' as RoomStatus['state'] }), 'Guest_Teleporting')
})

test('only a room that has not failed has something for its player to do first', () => {
  const hint = 'Open your world to LAN: the room opens as soon as it is found.'
  assert.is(noticeOf({ ...IDLE, state: 'Host_GameDetecting', hint }), hint)
  assert.is(noticeOf({ ...IDLE, hint: null }), undefined)
  assert.is(noticeOf({ ...IDLE, state: 'Error', error: 'It broke.', hint }), undefined)
})

test('sentence and news are one statement: what matters more than the stage is the sentence', () => {
  const told = (more: Partial<RoomStatus>) => {
    const status = { ...IDLE, ...more }
    return [sentenceOf(status), newsOf(status)]
  }
  const closed = { state: 'Guest_Running', hint: 'The service says so.', hintCode: 'world-closed' } as const
  assert.equal(told(closed), [
    'The world is closed.',
    'Your friend has to open it again; you stay in the room.',
  ])
  const full = { state: 'Host_Running', gamePort: 1, hint: 'Remove someone.', hintCode: 'room-full' } as const
  assert.is(told(full)[0], 'Your room is full.')
  const node = { url: 'tcp://a', state: 'failed', latencyMs: null, problem: null } as const
  const network = { nodes: [node] } as unknown as RoomStatus['network']
  assert.is(
    told({ state: 'Host_Running', gamePort: 1, network })[0],
    'Only friends on your network can join now.',
  )
  assert.equal(told({ state: 'Idle' }), ['Play together: open a room, or join one.', undefined])
})

test('what to do about a hint is told in words of the page where it has some', () => {
  const hint = 'Another program keeps UDP port 4445; delete the file “machine-id”.'
  for (const isInChinese of [false, true]) {
    language.value = isInChinese ? 'zh-CN' : 'en'
    for (const hintCode of ['lan-port-taken', 'copied-folder'] as const) {
      const told = newsOf({ ...IDLE, state: 'Host_GameDetecting', hint, hintCode }) ?? ''
      assert.ok(isChinese(told) === isInChinese && !/4445|machine-id/.test(told), told)
    }
  }
  language.value = 'en'
  assert.is(newsOf({ ...IDLE, state: 'Host_Running', gamePort: 1, hint, hintCode: 'same-names' }), hint)
})

test('that nobody hosts a room is told as a room that is not open yet', () => {
  const failed = {
    ...IDLE,
    state: 'Error',
    error: 'Nobody hosts this room.',
    errorCode: 'host-not-found',
  } as const
  assert.is(failureOf(failed).error, 'This room is not open yet.')
  assert.is(failureOf({ ...failed, error: 'It was something else.' }).error, 'It was something else.')
})

test('a failure is told by its cause where that is known, else by its code', () => {
  const failed = { ...IDLE, state: 'Error', error: 'E', errorCode: 'host-unreachable', hint: 'H' } as const
  assert.equal(failureOf({ ...failed, hintCode: 'no-direct-path' }), { error: 'E', hint: 'H' })
  language.value = 'zh-CN'
  const general = failureOf(failed)
  const special = failureOf({ ...failed, hintCode: 'no-direct-path' })
  assert.ok(isChinese(special.error) && isChinese(special.hint))
  assert.is.not(special.error, general.error)
  assert.is.not(special.hint, general.hint)
  const newer = 'of-a-newer-service' as RoomStatus['hintCode']
  assert.equal(failureOf({ ...failed, hintCode: newer }), general)
})

test('a finding and a relayed path are told in the service’s words, in Chinese by their codes', () => {
  const finding = {
    id: 'room-port-used',
    check: 'ports',
    state: 'note',
    text: 'T',
    hint: null,
    subject: '5062',
  } as const
  const relayed = { code: 'searching', text: 'T', hint: 'H' } as const
  assert.equal(findingOf(finding), { text: 'T', hint: undefined })
  assert.equal(relayedOf(relayed), relayed)
  language.value = 'zh-CN'
  const { text } = findingOf(finding)
  assert.ok(isChinese(text) && text.includes('5062'), text)
  assert.ok(isChinese(relayedOf(relayed).hint))
})

test('a refusal is told by the field or the code, in words of the page', () => {
  const refusals = [
    ['invalid-request', 'gamePort: TCP port 5062 is where this program takes orders.'],
    ['invalid-request', 'ports.0.udp must be a port.'],
    ['invalid-request', 'The body is not JSON.'],
    ['conflict', 'A room is being hosted already: stop it first with POST /room/stop.'],
    ['unauthorised-in-a-newer-way', 'constructor'],
  ] as const
  for (const isInChinese of [false, true]) {
    language.value = isInChinese ? 'zh-CN' : 'en'
    const texts = refusals.map(([code, detail]) => refusalOf({ code, detail }))
    assert.ok(texts.every((text) => isChinese(text) === isInChinese && !/POST|TCP|JSON|5062/.test(text)))
    assert.is(new Set(texts).size, refusals.length)
  }
})

test.run()
