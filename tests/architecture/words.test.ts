import type { Words } from '@lantern-room/base'
import type { RoomCodeProblem } from '@lantern-room/protocol'
import type { FailureCode } from '@lantern-room/room'
import type { Diagnosis } from '@lantern-room/room/doctor'
import { chinese, gameRefusals, status } from '@lantern-room/room/words'
import type { HintCode } from '#internal/room/failure'
import type { RelayReason } from '#internal/room/networkStatus'
import type { NoticeCode } from '#internal/room/service/state/notices'
import english from '#internal/room/words/english.json'
import terminal from '#internal/room/words/terminal.json'
import { assert, suite } from '#support/runner/suite'
import invitation from '../../local-runner/ui/invitation/words.json'
import page from '../../local-runner/ui/room/words/page.json'
import players from '../../local-runner/ui/room/words/players.json'
import refusals from '../../local-runner/ui/room/words/refusals.json'
import common from '../../local-runner/ui/shared/words.json'
import reasons from '../../local-runner/ui/studio/words/reasons.json'
import studio from '../../local-runner/ui/studio/words/words.json'

const test = suite('texts in two languages')

const TABLES: readonly Readonly<Record<string, Words>>[] = [
  ...Object.values(gameRefusals),
  status,
  terminal,
  page,
  invitation,
  players,
  refusals,
  common,
  reasons,
  studio,
]
const TEXTS = TABLES.flatMap((table) => Object.entries(table).map(([key, [en, zh]]) => ({ key, en, zh })))

/** Where the English one is empty, the service's own words are shown. */
const isWorded = ({ en, zh }: { readonly en: string | undefined; readonly zh: string | undefined }) =>
  en !== '' && zh !== ''

test('have the same names for what is filled in', () => {
  const namesIn = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort().join()
  assert.equal(
    TEXTS.filter((text) => isWorded(text) && namesIn(text.en) !== namesIn(text.zh)),
    [],
  )
})

test('have Chinese for everything, but for findings that are plain enough', () => {
  assert.ok(TEXTS.every(({ en, zh }) => en !== undefined && zh !== undefined))
  const missing = TEXTS.filter(({ zh }) => zh === '').map(({ key }) => key)
  assert.equal(missing, ['multicastFails', 'nodeUnreachable'])
})

/** The type check refuses a code without a text. */
const CODES: Readonly<{
  failures: Record<FailureCode, unknown>
  hints: Record<HintCode, unknown>
  codeProblems: Record<RoomCodeProblem, unknown>
  notices: Record<NoticeCode, unknown>
  findings: Record<Diagnosis['findings'][number]['id'], unknown>
  relayed: Record<RelayReason, unknown>
}> = chinese

function textsIn(one: unknown): readonly unknown[] {
  return typeof one === 'object' && one !== null ? Object.values(one).flatMap(textsIn) : [one]
}

test('have no empty text for a code', () => {
  assert.equal(
    textsIn(CODES).filter((text) => text === ''),
    [],
  )
})

/** Slang, names of settings, options, addresses of the API, and what only engineers know. */
const UNFIT =
  /开房|客人|没有成功|did not work|ROOM_[A-Z]|DATA_DIR|\B--[a-z]|\b(GET|POST|TCP|STUN) |\bTCP\b|\d bits/

test('are words of players, wherever the page shows them', () => {
  const texts = [status, page, players, refusals, common, english, chinese].flatMap((table) => textsIn(table))
  assert.equal(
    texts.filter((text) => UNFIT.test(String(text))),
    [],
  )
})

test.run()
