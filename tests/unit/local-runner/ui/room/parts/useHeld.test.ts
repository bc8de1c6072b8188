import { assert, suite } from '#support/runner/suite'
import { heldRows } from '../../../../../../local-runner/ui/room/parts/useHeld'

const test = suite('rows that are held')

const rowsOf = (before: ReturnType<typeof heldRows<string>>, items: readonly string[]) =>
  heldRows(before, items, (text) => text.charAt(0))
const shown = (rows: ReturnType<typeof rowsOf>) =>
  rows.map(({ item, isGone }) => (isGone ? `(${item})` : item)).join(' ')

test('stay at their places, whatever goes, comes, changes or comes back', () => {
  const first = rowsOf([], ['a1', 'b1', 'c1'])
  assert.is(shown(first), 'a1 b1 c1')
  const second = rowsOf(first, ['d1', 'c2', 'b1'])
  assert.is(shown(second), '(a1) b1 c2 d1')
  assert.is(shown(rowsOf(second, ['a3', 'd1'])), 'a3 (b1) (c2) d1')
})

test('are as in the list once they are let go', () => {
  assert.is(shown(rowsOf([], ['d1', 'c2', 'b1'])), 'd1 c2 b1')
})

test.run()
