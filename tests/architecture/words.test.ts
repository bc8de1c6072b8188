import type { Words } from '#core/language'
import type { FindingId } from '#core/room/doctor/diagnosis'
import type { FailureCode } from '#core/room/failure'
import type { RelayReason } from '#core/room/networkStatus'
import type { RoomCodeProblem } from '#core/room/readRoomCode'
import type { NoticeCode } from '#core/room/service/state/notices'
import chinese from '#core/room/words/chinese.json'
import gameRefusals from '#core/room/words/gameRefusals.json'
import status from '#core/room/words/status.json'
import terminal from '#core/room/words/terminal.json'
import { assert, suite } from '#support/runner/suite'
import invitation from '../../local-runner/ui/invitation/words.json'
import page from '../../local-runner/ui/room/words/page.json'
import players from '../../local-runner/ui/room/words/players.json'
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
  codeProblems: Record<RoomCodeProblem, unknown>
  notices: Record<NoticeCode, unknown>
  findings: Record<FindingId, unknown>
  relayed: Record<RelayReason, unknown>
}> = chinese

test('have no empty text for a code', () => {
  const textsIn = (one: unknown): readonly unknown[] =>
    typeof one === 'object' && one !== null ? Object.values(one).flatMap(textsIn) : [one]
  assert.equal(
    textsIn(CODES).filter((text) => text === ''),
    [],
  )
})

test.run()
