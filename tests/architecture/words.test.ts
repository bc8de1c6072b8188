import type { Words } from '@lantern-room/base'
import { gameRefusals, status } from '@lantern-room/room/words'
import { unevenIn, unfitIn } from '#support/docs/texts'
import { assert, suite } from '#support/runner/suite'
import invitation from '../../local-runner/ui/invitation/words.json'
import notices from '../../local-runner/ui/room/words/notices.json'
import page from '../../local-runner/ui/room/words/page.json'
import players from '../../local-runner/ui/room/words/players.json'
import refusals from '../../local-runner/ui/room/words/refusals.json'
import common from '../../local-runner/ui/shared/words.json'
import takeout from '../../local-runner/ui/studio/takeout/words.json'
import editing from '../../local-runner/ui/studio/words/editing.json'
import problems from '../../local-runner/ui/studio/words/problems.json'
import reasons from '../../local-runner/ui/studio/words/reasons.json'
import results from '../../local-runner/ui/studio/words/results.json'
import studio from '../../local-runner/ui/studio/words/words.json'

const test = suite('texts in two languages')

const TABLES: readonly Readonly<Record<string, Words>>[] = [
  ...Object.values(gameRefusals),
  status,
  notices,
  page,
  invitation,
  players,
  refusals,
  common,
  problems,
  reasons,
  results,
  studio,
  editing,
  takeout,
]
const TEXTS = TABLES.flatMap((table) => Object.entries(table).map(([key, [en, zh]]) => ({ key, en, zh })))

test('have the same names for what is filled in', () => {
  assert.equal(unevenIn(...TABLES), [])
})

test('have Chinese for everything', () => {
  assert.ok(TEXTS.every(({ en, zh }) => en !== undefined && zh !== undefined))
  assert.equal(
    TEXTS.filter(({ zh }) => zh === ''),
    [],
  )
})

test('are words of players, wherever the page shows them', () => {
  assert.equal(unfitIn(status, notices, page, players, refusals, common), [])
})

test.run()
