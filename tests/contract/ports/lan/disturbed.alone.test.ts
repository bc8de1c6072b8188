import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { noise, text } from '#support/values/bytes'
import { closesItsSockets } from '../leaks'
import { announcedByGame, close, createLan, group, pause, recorder, sender, unique, until } from './loopback'

// Alone, because every program on this machine that listens for worlds is disturbed by it.
const test = suite('LAN: a disturbed port', { timeoutMs: 60_000 })

let lan: ReturnType<typeof createLan>

test.before.each(() => {
  lan = createLan()
})
closesItsSockets(test, () => lan.stop())

test('100,000 datagrams of garbage do no harm', async () => {
  const heard = lan.listen()
  const socket = await sender()
  const sample = text(`[MOTD]garbage[/MOTD][AD]10[/AD]`)
  for (let round = 0; round < 200; round++) {
    const sending: Promise<unknown>[] = []
    for (let i = 0; i < 500; i++) {
      const datagram = i % 2 === 0 ? noise((i * 37) % 1400) : sample.map((byte) => byte ^ (i === 7 ? i : 1))
      sending.push(new Promise((sent) => socket.send(datagram, 4445, group, sent)))
    }
    await Promise.all(sending)
  }
  assert.is(heard.length, 0)
  await close(socket)
  await announcedByGame(`[MOTD]after ${unique}[/MOTD][AD]10[/AD]`, () => heard.length > 0)
})

test('another program that binds the port exclusively is logged and told, and the port used once it is free', async () => {
  const clock = createFakeClock()
  const { log, lines } = recorder()
  const selfish = createSocket('udp4')
  // Bound for the group only: programs that share the port on other addresses are not disturbed.
  selfish.bind({ port: 4445, address: group })
  const isBound = await Promise.race([
    once(selfish, 'listening').then(() => true),
    once(selfish, 'error').then(() => false),
  ])
  const told: boolean[] = []
  const heard = lan.listen({ clock, log }, (isHeld) => void told.push(isHeld))
  if (isBound) {
    await until(() => lines.length > 0)
    assert.equal([...new Set(told)], [true])
    await clock.advance(5000)
    await pause(20)
    assert.is(lines.length, 1)
  }
  await close(selfish)
  await clock.advance(5000)
  await announcedByGame(`[MOTD]patience ${unique}[/MOTD][AD]19[/AD]`, () => heard.length > 0)
  assert.is(told.at(-1), false)
})

test.run()
