import { terminalWords } from '#core/room/words/words'
import { assert, suite } from '#support/runner/suite'
import { readHostLine } from '../../../../../../local-runner/room/cli/terminal/readHostLine'

const WORDS = terminalWords('en')
const test = suite('what a host types')

const VIEW = {
  players: [
    { name: 'Alex', machineId: 'h', vendor: 'X', kind: 'HOST' },
    { name: 'Kim Lee', machineId: 'k', vendor: 'X', kind: 'GUEST' },
    { name: 'Twin', machineId: 't1', vendor: 'X', kind: 'GUEST' },
    { name: 'twin', machineId: 't2', vendor: 'X', kind: 'GUEST' },
    { name: 'b', machineId: 'a', vendor: 'X', kind: 'GUEST' },
    { name: 'a', machineId: 'b', vendor: 'X', kind: 'GUEST' },
  ],
  guests: [
    { id: 's', name: 'Steve', vendor: 'X', state: 'waiting' },
    { id: 'm', name: 'Max', vendor: 'X', state: 'waiting' },
    { id: 'Max', name: 'Mallory', vendor: 'X', state: 'waiting' },
    { id: 'r', name: 'Rita', vendor: 'X', state: 'refused' },
    { id: 'member:7', name: 'laptop', vendor: '', state: 'unregistered' },
  ],
} as const

for (const [line, wanted] of [
  ['y', 'approve s'],
  [' YES ', 'approve s'],
  ['n', 'refuse s'],
  ['y max', 'approve m'],
  ['no max', 'refuse m'],
  ['y Mallory', 'approve Max'],
  ['y m', 'approve m'],
  ['y Rita', 'approve r'],
  ['kick kim lee', 'kick k'],
  ['kick k', 'kick k'],
  ['kick t2', 'kick t2'],
  ['kick a', 'kick a'],
  ['kick b', 'kick b'],
  ['kick member:7', 'kick member:7'],
  ['kick laptop', 'kick member:7'],
  ['y member:7', 'approve member:7'],
  ['', undefined],
  ['  ', undefined],
] as const) {
  test(`"${line}"`, () => {
    const read = readHostLine(line, VIEW, WORDS)
    assert.is(read && (read.kind === 'unclear' ? read.text : `${read.kind} ${read.id}`), wanted)
  })
}

for (const [line, text] of [
  ['what', WORDS('orders')],
  ['constructor', WORDS('orders')],
  ['kick', /Name the player/],
  ['kick Alex', /No such player: Alex/],
  ['kick twin', /Several players .*t1, t2/],
  ['n Rita', /No such player/],
  ['y Max', /Several players .*m, Max/],
] as const) {
  test(`"${line}" is unclear`, () => {
    const read = readHostLine(line, VIEW, WORDS)
    assert.is(read?.kind, 'unclear')
    assert.match(read?.kind === 'unclear' ? read.text : '', text)
  })
}

test('where nobody waits, there is nothing to answer', () => {
  assert.equal(readHostLine('y', { players: [], guests: [] }, WORDS), {
    kind: 'unclear',
    text: 'No player waits.',
  })
})

test.run()
