import { networkInterfaces } from 'node:os'
import { createFakeClock } from '#support/network/fakeClock'
import { ipv4 } from '#support/network/interfaceInfo'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { each } from '#support/values/each'
import { equalBytes } from '#support/values/equalBytes'
import { closesItsSockets } from '../leaks'
import { announcedByGame, close, createLan, pause, plainListener, recorder, unique, until } from './loopback'

const test = suite('LAN: listener and announcer', { timeoutMs: 60_000 })

let lan: ReturnType<typeof createLan>

test.before.each(() => {
  lan = createLan()
})
closesItsSockets(test, () => lan.stop())

test('a world of this machine is received at once, with the address of the sender', async () => {
  const heard = lan.listen()
  await announcedByGame(`[MOTD]Alice ${unique}[/MOTD][AD]10[/AD]`, () => heard.length > 0)
  assert.equal(heard[0], { address: '127.0.0.1', port: 10, motd: `Alice ${unique}`, isLocal: true })
})

test('two worlds on one machine are both received, by two listeners at the same time', async () => {
  const heard = [lan.listen(), lan.listen()]
  lan.announce('first', 11)
  lan.announce('second', 12)
  for (const one of heard) {
    await until(() => new Set(one.map(({ port }) => port)).size === 2)
    assert.equal(new Set(one.map(({ motd }) => motd)), new Set([`first ${unique}`, `second ${unique}`]))
  }
})

test('an announcement is the datagram of the game, byte for byte, from loopback', async () => {
  const { socket, next } = await plainListener()
  lan.announce("Bob's world", 25565)
  const [datagram, from] = await next()
  equalBytes(datagram, text(`[MOTD]Bob's world ${unique}[/MOTD][AD]25565[/AD]`))
  assert.is(from.address, '127.0.0.1')
  await close(socket)
})

test('it is sent at once and then every 1.5 s, until the signal', async () => {
  const clock = createFakeClock()
  const { socket, received } = await plainListener()
  lan.announce('steady', 25565, { clock })
  await until(() => received.length === 1)
  for (const count of [2, 3, 4, 5, 6]) {
    await clock.advance(1499)
    assert.is(received.length, count - 1)
    await clock.advance(1)
    await until(() => received.length === count)
  }
  await lan.stop()
  assert.is(clock.timers, 0)
  await clock.advance(10_000)
  assert.is(received.length, 6)
  await close(socket)
})

test('no instance of this software lists what another one announces for a guest', async () => {
  const heard = [lan.listen(), lan.listen()]
  const { socket, next } = await plainListener()
  lan.announce('forward', 13, { as: 'forward' })
  // A game on this machine does receive it.
  await next()
  lan.announce('game', 14)
  for (const one of heard) {
    await until(() => one.length > 0)
    assert.equal([...new Set(one.map(({ port }) => port))], [14])
  }
  await close(socket)
})

test('two forwards are announced at the same time, from one port', async () => {
  const { socket, received } = await plainListener()
  lan.announce('one', 15, { as: 'forward' })
  lan.announce('two', 16, { as: 'forward' })
  await until(() => new Set(received.map(([bytes]) => bytes.toString())).size === 2)
  await close(socket)
})

test('an interface that refuses is logged once, and the others are used', async () => {
  const clock = createFakeClock()
  const { log, lines } = recorder()
  const scan = () => ({ ...networkInterfaces(), broken0: [ipv4('203.0.113.7')] })
  const setting = { clock, log, scan, interfaces: ['broken0', '127.0.0.1'] }
  const heard = lan.listen(setting)
  lan.announce('survivor', 17, setting)
  await until(() => heard.length > 0)
  for (let i = 0; i < 8; i++) await clock.advance(1500)
  await until(() => heard.length > 4)
  const warnings = lines.filter(({ fields }) => fields?.interface === '203.0.113.7')
  assert.equal(each(warnings, 'message'), [
    'announcements of games cannot be received on an interface',
    'worlds cannot be announced on an interface',
  ])
})

test('an interface that appears later is used within 5 s, and one that disappears is dropped', async () => {
  const clock = createFakeClock()
  let isThere = false
  const scan = () => (isThere ? networkInterfaces() : {})
  const heard = lan.listen({ clock, scan })
  lan.announce('late', 18, { clock, scan })
  await clock.advance(3000)
  await announcedByGame(`[MOTD]early ${unique}[/MOTD][AD]1[/AD]`, undefined)
  assert.is(heard.length, 0)
  isThere = true
  await clock.advance(6000)
  await until(() => heard.length > 0)
  assert.is(heard[0]?.port, 18)
  isThere = false
  await clock.advance(6000)
  const before = heard.length
  await clock.advance(6000)
  await pause(50)
  assert.is(heard.length, before)
})

test('with an aborted signal nothing is opened', async () => {
  await lan.stop()
  lan.listen()
  lan.announce('never', 20)
})

test('a signal that aborts at once leaves nothing open', async () => {
  for (let i = 0; i < 20; i++) {
    const short = createLan()
    short.listen()
    short.announce('short', 21)
    await short.stop()
  }
})

test.run()
