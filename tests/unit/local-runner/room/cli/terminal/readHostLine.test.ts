import type { RoomView } from '@lantern-room/room'
import { terminalWords } from '@lantern-room/room/words'
import { IDLE_VIEW } from '#support/room/idleView'
import { assert, suite } from '#support/runner/suite'
import {
  createQuestions,
  type Question,
  questionsOf,
} from '../../../../../../local-runner/room/cli/terminal/questions'
import { readHostLine } from '../../../../../../local-runner/room/cli/terminal/readHostLine'

type KnownGuest = RoomView['guests'][number]

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

const ABOUT_MAX = { id: 'm', name: 'Max', state: 'waiting', isSettled: false } as const

for (const [line, wanted] of [
  ['y', 'approve m'],
  [' YES ', 'approve m'],
  ['n', 'refuse m'],
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
    const read = readHostLine(line, VIEW, ABOUT_MAX, WORDS)
    assert.is(read && (read.kind === 'unclear' ? read.text : `${read.kind} ${read.id}`), wanted)
  })
}

for (const [line, text] of [
  ['what', WORDS('orders')],
  ['constructor', WORDS('orders')],
  ['kick', /Name the player/],
  ['kick Alex', /No such player: Alex/],
  ['kick twin', /Several players .*t1, t2/],
  ['n Rita', /No such player: Rita\. Waiting: “Steve”, “Max”, “Mallory”\. Answer by y NAME or n NAME\.$/],
  ['y Max', /Several players .*m, Max.* Waiting: “Steve”, “Max”, “Mallory”\./],
] as const) {
  test(`"${line}" is unclear`, () => {
    const read = readHostLine(line, VIEW, ABOUT_MAX, WORDS)
    assert.is(read?.kind, 'unclear')
    assert.match(read?.kind === 'unclear' ? read.text : '', text)
  })
}

/** What `y` alone does for a host who was asked this last. */
const bare = (asked: Question | undefined, guests: readonly KnownGuest[], say = WORDS) => {
  const read = readHostLine('y', { players: [], guests }, asked, say)
  return read && (read.kind === 'unclear' ? read.text : `${read.kind} ${read.id}`)
}

const guest = (id: string, name: string, state: KnownGuest['state'] = 'waiting') => ({
  id,
  name,
  vendor: 'X',
  state,
})

test('y alone answers the very question that was shown, and whoever else waits stays outside', () => {
  const asked = { ...guest('b', 'Bob'), isSettled: false }
  const anna = guest('a', 'Anna')
  assert.is(bare(asked, [anna, guest('b', 'Bob')]), 'approve b')
  const gone = 'Bob is not waiting any more; nobody was let in or refused.'
  const left = `${gone} Waiting: “Anna”. Answer by y NAME or n NAME.`
  assert.is(bare(asked, [anna]), left)
  // Answered on the page, or by another name now.
  assert.is(bare(asked, [anna, guest('b', 'Bob', 'refused')]), left)
  assert.match(bare(asked, [anna, guest('b', 'Eve')]) ?? '', /^Bob is not waiting any more/)
  // It went and came again: it is asked about anew.
  assert.match(bare({ ...asked, isSettled: true }, [anna, guest('b', 'Bob')]) ?? '', /^Bob is not waiting/)
  assert.is(bare(asked, []), gone)
  // Before it was shown, and after a question about a member that is named.
  const named = 'Waiting: “Anna”. Answer by y NAME or n NAME.'
  assert.is(bare(undefined, [anna]), named)
  const member = guest('member:7', 'laptop', 'unregistered')
  assert.is(bare({ ...member, isSettled: false }, [anna, member]), named)
  const chinese = 'Bob 已不在等待，这次没有放行或拒绝任何人。正在等待：“Anna”。请用 y 名字 或 n 名字 回答。'
  assert.is(bare(asked, [anna], terminalWords('zh-CN')), chinese)
})

test('players of one name are told apart by their ids, and no more than eight are named', () => {
  const twins = [guest('t1', 'Twin'), guest('t2', 'TWIN'), guest('a', 'Big Anna')]
  assert.is(
    bare(undefined, twins),
    'Waiting: “Twin” (t1), “TWIN” (t2), “Big Anna”. Answer by y NAME or n NAME.',
  )
  const read = (line: string) => readHostLine(line, { players: [], guests: twins }, undefined, WORDS)
  assert.equal(read('y t2'), { kind: 'approve', id: 't2', name: 'TWIN' })
  assert.equal(read('n big anna'), { kind: 'refuse', id: 'a', name: 'Big Anna' })
  assert.is(read('y twin')?.kind, 'unclear')
  const many = Array.from({ length: 60 }, (_, at) => guest(`${at}`, `P${at}`))
  assert.match(bare(undefined, many) ?? '', /^Waiting: “P0”, .*“P7” and 52 others\. /)
})

test('the question that stands last is the last one shown; a guest who goes and comes is asked about again', () => {
  const questions = createQuestions()
  const views = [
    [],
    [guest('a', 'Anna')],
    [guest('a', 'Anna'), guest('b', 'Bob')],
    [guest('a', 'Anna')],
    [guest('a', 'Anna'), guest('b', 'Bob')],
    [guest('a', 'Anna'), guest('b', 'Bobby')],
  ].map((guests) => ({ ...IDLE_VIEW, guests }))
  const seen = views.map((view, at) => {
    questions.note(view, views[at - 1])
    const { name, isSettled } = questions.last() ?? {}
    return [name, isSettled, questionsOf(view, views[at - 1], WORDS).length]
  })
  assert.equal(seen, [
    [undefined, undefined, 0],
    ['Anna', false, 1],
    ['Bob', false, 1],
    ['Bob', true, 0],
    ['Bob', false, 1],
    ['Bobby', false, 1],
  ])
  const [line] = questionsOf(views[2] ?? IDLE_VIEW, views[1], WORDS)
  assert.match(
    line ?? '',
    /^\? Bob \(X\) wants to join, too\. Waiting: “Anna”, “Bob”\. y or n .* y NAME or n NAME/,
  )
})

test('where nobody waits, there is nothing to answer', () => {
  assert.equal(readHostLine('y', { players: [], guests: [] }, undefined, WORDS), {
    kind: 'unclear',
    text: 'No player waits.',
  })
})

test.run()
