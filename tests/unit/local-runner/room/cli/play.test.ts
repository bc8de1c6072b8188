import { ConfigError } from '#core/environment'
import { capturedOutput } from '#support/process/capturedOutput'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { UsageError } from '../../../../../local-runner/commandLine/readArguments'
import { parseRoomCommand } from '../../../../../local-runner/room/cli/parseRoomCommand'
import { joinOrder, play } from '../../../../../local-runner/room/cli/play'
import { testProgram } from './testProgram'

// Rooms that start: tests/flows/room/commandLinePlay.lan.test.ts.

const test = suite('room host and room join that do not start')

let folder = ''
test.before(async () => {
  folder = await makeTempFolder('play')
})
test.after(async () => {
  await removeFolders(folder)
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

test('each option of a join is in its order', () => {
  const orderOf = (...args: readonly string[]) => {
    const command = parseRoomCommand(['join', 'L/X', ...args], folder)
    assert.is(command.kind, 'join')
    return command.kind === 'join' ? joinOrder(command) : assert.unreachable()
  }
  const plain = { roomCode: 'L/X', playerName: undefined, wait: false, resume: false, acceptNewHost: false }
  assert.equal(orderOf(), plain)
  assert.equal(orderOf('--name', 'Ada', '--wait'), { ...plain, playerName: 'Ada', wait: true })
  assert.equal(orderOf('--resume'), { ...plain, resume: true })
  assert.equal(orderOf('--accept-new-host'), { ...plain, acceptNewHost: true })
})

test('a setting that is wrong is told by its name', async () => {
  const error = await failureOf(['join', 'U/0000'], { LOG_LEVEL: 'verbose' })
  assert.ok(error instanceof ConfigError)
  assert.match(error.message, /LOG_LEVEL="verbose"/)
})

async function failureOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = parseRoomCommand(args, folder)
  if (command.kind !== 'host' && command.kind !== 'join') throw new Error(command.kind)
  const { result } = await capturedOutput(() =>
    play(command, testProgram(folder, env)).catch((error: unknown) => error),
  )
  return result
}

test.run()
