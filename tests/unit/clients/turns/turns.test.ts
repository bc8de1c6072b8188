import { Turns, type WaitingWork } from '@lantern-room/clients'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore, type MemoryStore } from '#support/store/memoryStore'
import { rejection } from '#support/values/failures'

type Ground = { readonly clock: FakeClock; readonly store: MemoryStore; readonly began: string[] }
const test = suite<Ground>('turns of clients', {
  setUp: () => ({ clock: createFakeClock(), store: createMemoryStore(), began: [] }),
})
const NEVER = new AbortController().signal
const always = () => true

/** The work of a client, of which the first has waited longest. */
function work(client: string | undefined, number: number): WaitingWork {
  const from = client ?? 'none'
  return {
    client,
    sinceMs: 1000 + number,
    id: Buffer.from(`${from}${number}`).toString('hex').padEnd(32, '0'),
  }
}

function nameOf(id: string): string {
  return Buffer.from(id, 'hex').toString().replaceAll('\0', '')
}

/** A process that takes work as a queue gives it, and tells in `began` in which order it was begun. */
function takerOf({ clock, store, began }: Ground, mayRun: Parameters<Turns['inTurn']>[1]['mayRun'] = always) {
  const turns = new Turns({ store, clock })
  const done = new Set<string>()
  const act = async (id: string) => {
    if (done.has(id)) return
    done.add(id)
    began.push(nameOf(id))
    await new Promise<void>((resolve) => void clock.after(1000, resolve))
  }
  const take = (mine: WaitingWork, signal = NEVER) =>
    turns.inTurn(mine, { mayRun, doOther: act, signal }, () => act(mine.id))
  return { turns, take }
}

async function all(clock: FakeClock, running: readonly Promise<unknown>[]): Promise<void> {
  let isOver = false
  void Promise.all(running).finally(() => {
    isOver = true
  })
  while (!isOver) await clock.advance(100)
}

test('clients take turns however the queue gives their work, and nothing is left noted', async (ground) => {
  const { turns, take } = takerOf(ground)
  const many = [1, 2, 3, 4].map((number) => work('greedy', number))
  const few = [work('A_b', 1), work('A_b', 2), work(undefined, 1)]
  for (const one of [...many, ...few]) await turns.wait(one)
  for (const one of many) await all(ground.clock, [take(one)])
  assert.equal(ground.began, ['greedy1', 'A_b1', 'none1', 'greedy2', 'A_b2', 'greedy3', 'greedy4'])
  assert.equal(ground.store.keys(), [])
})

test('one that may not have a job more goes on in its order', async (ground) => {
  const { take } = takerOf(ground, (_, running) => running < 1)
  const running = [1, 2, 3].map((number) => take(work('limited', number)))
  await ground.clock.advance(2500)
  assert.equal(ground.began, ['limited1', 'limited2', 'limited3'])
  await all(ground.clock, running)
})

test('meanwhile it keeps nobody from theirs, and ends with the signal', async (ground) => {
  const { turns, take } = takerOf(ground, (client) => client !== 'limited')
  await turns.wait(work('limited', 1))
  const draining = new AbortController()
  const waiting = rejection(take(work('limited', 1), draining.signal))
  await ground.clock.advance(10)
  await turns.wait(work('late', 1))
  await ground.clock.advance(3000)
  assert.equal(ground.began, ['late1'])
  draining.abort(new Error('draining'))
  await ground.clock.advance(1000)
  assert.match(String(await waiting), /draining/)
  // Another process finds it.
  assert.equal(ground.store.keys().length, 1)
  assert.is(ground.clock.timers, 0)
})

test.run()
