import { generateRoomCode } from '@lantern-room/protocol'
import { settled } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createVirtualRoom, VOICE_PORT, WORLD_PORT } from './virtualRoom'

const test = suite('room network: two guests with one address')

test('one of them moves, its stream goes on, and its datagrams come and go under the new address', async () => {
  const { clock, openHost, join, close } = createVirtualRoom(generateRoomCode(() => 0))
  const { host } = await openHost()
  // The only byte that is drawn alone is the one that its address is made of.
  const draw = (size: number) => (size === 1 ? Uint8Array.of(6) : undefined)
  const addresses = () => host.members().flatMap(({ address }) => address ?? [])
  const one = await join('one', { draw })
  await clock.advance(1000)
  assert.equal(addresses(), ['10.144.144.70'])
  const stream = await settled(clock, one.guest.dial(WORLD_PORT))
  const flow = one.guest.datagrams(VOICE_PORT)
  const heard: number[] = []
  flow.onDatagram(([byte = 0]) => heard.push(byte))
  const echoes = async (byte: number) => {
    flow.send(Uint8Array.of(byte))
    await clock.advance(100)
    assert.is(heard.at(-1), byte)
  }
  await echoes(1)

  const other = await join('other', { draw })
  const stream2 = await settled(clock, other.guest.dial(WORLD_PORT))
  await clock.advance(2000)
  assert.is(new Set(addresses()).size, 2, addresses().join())
  assert.ok(addresses().includes('10.144.144.70'))
  for (const address of addresses())
    assert.match(address, /^10\.144\.144\.(6[4-9]|[7-9]\d|1\d\d|2[0-4]\d|250)$/)
  await echoes(2)

  for (const open of [stream, stream2]) {
    await open.write(Uint8Array.of(9))
    assert.equal([...((await settled(clock, open.read())) ?? [])], [9])
  }
  assert.equal(heard, [1, 2])
  assert.not([...one.events, ...other.events].includes('lost'))
  await close()
})

test.run()
