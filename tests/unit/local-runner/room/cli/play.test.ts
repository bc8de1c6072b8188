import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ConfigError } from '#core/environment'
import { capturedOutput } from '#support/process/capturedOutput'
import { silentLog } from '#support/room/openRoom'
import { suite } from '#support/runner/suite'
import { UsageError } from '../../../../../local-runner/commandLine/readArguments'
import { parseRoomCommand } from '../../../../../local-runner/room/cli/parseRoomCommand'
import { play } from '../../../../../local-runner/room/cli/play'

// Rooms that start: tests/flows/room/commandLinePlay.lan.test.ts.

const test = suite('room host and room join that do not start')

let folder = ''
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'play-'))
})
test.after(async () => {
  await rm(folder, { recursive: true })
})
test.after.each(() => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
})

for (const json of [[], ['--json']]) {
  test(`an invalid code is a wrong command line, without the name of a field ${json}`, async () => {
    const error = await failureOf(['join', 'U/0000', ...json])
    assert.ok(error instanceof UsageError, String(error))
    assert.is(error.command, 'join')
    assert.not.match(error.message, /^code:/)
  })

  test(`so is an invalid room ${json}`, async () => {
    const error = await failureOf(['host', '--room', 'U/0000', ...json])
    assert.ok(error instanceof UsageError, String(error))
    assert.is(error.command, 'host')
    assert.match(error.message, /^--room/)
  })
}

test('a setting that is wrong is told by its name', async () => {
  const error = await failureOf(['join', 'U/0000'], { LOG_LEVEL: 'verbose' })
  assert.ok(error instanceof ConfigError)
  assert.match(error.message, /LOG_LEVEL="verbose"/)
})

test.run()

async function failureOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = parseRoomCommand(args, folder)
  if (command.kind !== 'host' && command.kind !== 'join') throw new Error(command.kind)
  const program = {
    version: '1.2.3',
    env: { DATA_DIR: folder, ROOM_LAN_INTERFACES: '127.0.0.1', ...env },
    folder,
    hasColour: false,
    isByNpm: false,
    log: silentLog(),
    isDebugging: false,
    openInBrowser: async () => false,
  }
  const { result } = await capturedOutput(() => play(command, program).catch((error: unknown) => error))
  return result
}
