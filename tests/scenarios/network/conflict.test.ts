import type { GuestConnection } from '#core/room/roomNetwork'
import { settled } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { GAME_PORT, openRoom } from './openRoom'

const test = suite('room network: two guests with one address')

test('one of them moves, its stream goes on, and its datagrams come and go under the new address', async () => {
  const room = await openRoom()
  const { clock, host } = room
  const one = await room.join('one', 6)
  assert.equal(addresses(), ['10.144.144.70'])
  const stream = await settled(clock, one.session.dial(GAME_PORT))
  const flow = one.session.datagrams(GAME_PORT)
  const heard: number[] = []
  flow.onDatagram(([byte = 0]) => heard.push(byte))
  await echoes(one.session, 1)

  const other = await room.join('other', 6)
  const stream2 = await settled(clock, other.session.dial(GAME_PORT))
  await clock.advance(2000)
  assert.is(new Set(addresses()).size, 2, addresses().join())
  assert.ok(addresses().includes('10.144.144.70'))
  for (const address of addresses())
    assert.match(address, /^10\.144\.144\.(6[4-9]|[7-9]\d|1\d\d|2[0-4]\d|250)$/)
  await echoes(one.session, 2)

  for (const open of [stream, stream2]) {
    await open.write(Uint8Array.of(9))
    assert.equal([...((await settled(clock, open.read())) ?? [])], [9])
  }
  assert.equal(heard, [1, 2])
  assert.equal(
    [...one.events, ...other.events].filter(({ kind }) => kind === 'lost'),
    [],
  )
  for (const { abort } of [one.joining, other.joining, room.hosting].map((it) => ({
    abort: () => it.abort(),
  })))
    abort()
  await clock.advance(10)
  await Promise.all([one.session.closed, other.session.closed, host.closed])
  assert.is(clock.timers, 0)

  function addresses(): string[] {
    return host.members().flatMap(({ address }) => address ?? [])
  }

  async function echoes(_session: GuestConnection, byte: number): Promise<void> {
    flow.send(Uint8Array.of(byte))
    await clock.advance(20)
    assert.is(heard.at(-1), byte)
  }
})

test.run()
