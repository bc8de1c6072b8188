import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert, suite } from '#support/runner/suite'
import { endWhenClosed } from '../../../../local-runner/commandLine/endWhenClosed'

const test = suite('the end of a process')

type Entry = readonly [string, Record<string, unknown> | undefined]

function open() {
  const warnings: Entry[] = []
  let exits = 0
  const none = () => {}
  const log = {
    debug: none,
    info: none,
    error: none,
    warn: (message: string, fields?: Record<string, unknown>) => void warnings.push([message, fields]),
  }
  return { log, warnings, exit: () => void exits++, exits: () => exits }
}

test('what is still open after the limit is named, and the process ends', async () => {
  const { log, warnings, exit, exits } = open()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  endWhenClosed(log, { limitMs: 20, exit })
  assert.is(exits(), 0, 'not before')
  await sleep(200)
  server.close()
  assert.is(exits(), 1)
  const [[message, fields] = []] = warnings
  assert.is(message, 'the process ends although something is still open')
  const named = fields?.open
  assert.ok(Array.isArray(named) && named.includes('TCPServerWrap'), String(named))
})

test('it does not keep the process by itself', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { log, exit } = open()
  endWhenClosed(log, { limitMs: 60_000, exit })
  assert.is(timers(), before)
})

test.run()
