import { ServiceError } from '@lantern-room/base'
import { readRoomCode } from '@lantern-room/protocol'
import { readInvitation } from '@lantern-room/protocol/invitation'
import { RoomFailure } from '@lantern-room/room'
import { type Say, terminalWords } from '@lantern-room/room/words'
import { atMost, beginLifetime } from '../../commandLine/lifetime'
import { UsageError } from '../../commandLine/readArguments'
import { composeRoom, type LocalRoom } from '../compose'
import type { Program } from './compose'
import { CodeProblem } from './failure'
import { type Command, NO_CODE } from './options/command'
import { choosePlayerName } from './playerName'
import { endRoom } from './runService'
import { tellHost } from './tellHost'
import { describeInvitation } from './terminal/describeInvitation'
import { obeyGuest } from './terminal/obeyGuest'
import { createQuestions, type Questions } from './terminal/questions'
import { obeyHost } from './terminal/readHostLine'
import { obeyLines } from './terminal/readLines'
import { createReporter, createScreen, type Screen } from './terminal/reporter'

const STOP_MS = 1300

/** Below the text of what is reported with its time. */
const INDENT = ' '.repeat(10)

/** Interval at which changes without a message of the feed are shown, such as a new path. */
const REFRESH_MS = 250

/**
 * `room host` and `room join`: the service in this process, for one room, with its events shown to a person.
 * @returns the exit code of the signal that ended it
 * @throws UsageError, ConfigError, ServiceError; RoomFailure when the room could not start or had to end
 */
export async function play(command: Command<'host' | 'join'>, program: Program): Promise<number> {
  const { env } = program
  const name = command.json ? command.name : await choosePlayerName(command.name, env, program)
  const stopping = new AbortController()
  const life = beginLifetime({ withStarter: program.isByNpm })
  const room = await composeRoom(env, {
    stopping: stopping.signal,
    shutDown: life.end,
    keptFor: 'command',
    // A person reads the events instead of the log, unless LOG_LEVEL asks for it.
    ...(!env.LOG_LEVEL && { writeLog: () => {} }),
  })
  const screen = createScreen(
    (text) => process.stdout.write(text),
    program.isInteractive && program.env.TERM !== 'dumb',
  )
  const say = terminalWords(program.language)
  const questions = createQuestions()
  const stopReporting = report(room, command, program, screen, questions)
  const stopObeying = command.json
    ? () => {}
    : obeyLines(
        process.stdin,
        (line) =>
          command.kind === 'host'
            ? obeyHost(line, room.api, questions.last(), say)
            : obeyGuest(line, room.api, program.language),
        (answer) => screen.line(answer.replace(/^/gm, INDENT)),
      )
  try {
    showMismatches(command, command.json ? terminalWords('en') : say)
    if (!(await resumed(room, command))) await start(room, { ...command, name })
    if (!command.json && command.kind === 'join' && command.waits) screen.line(`${INDENT}${say('waits')}`)
    if (!command.json && command.kind === 'host') tellHost(room, command, screen, program)
    const failure = await Promise.race([life.ended(), firstFailure(room)])
    if (failure) throw failure
    if (!command.json) process.stdout.write(`\n${say('stopping')}\n`)
    return life.exitCode() ?? 0
  } finally {
    await atMost(STOP_MS, room.api.service.stop())
    stopReporting()
    stopObeying()
    await endRoom(room, stopping)
    life.close()
  }
}

/** Resolves when the room fails; never rejects. */
function firstFailure({ api: { feed, roomState } }: LocalRoom): Promise<RoomFailure> {
  return new Promise((resolve) => {
    feed.subscribe(() => {
      const { failure } = roomState.view()
      if (failure) resolve(new RoomFailure(failure.code, failure.detail, { hintCode: failure.hintCode }))
    })
  })
}

/** What the fields of a request are called here, for errors; the code is the only argument. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^code: /, ''],
  [/^private: room/, '--private: --room'],
  [/^room/, '--room'],
  [/^gamePort/, '--game-port'],
  [/^ports\.\d+\.\w+/, '--share'],
]

/** Says how the game here differs from the host's, before the room is joined. */
function showMismatches(command: Command<'host' | 'join'>, say: Say): void {
  if (command.kind !== 'join') return
  const invitation = readInvitation(command.code)
  if (invitation === undefined || invitation === 'damaged') return
  for (const line of describeInvitation(invitation, command.game, say)) {
    // The output of --json is the feed alone.
    const output = command.json ? process.stderr : process.stdout
    output.write(`  ${line}\n`)
  }
}

/** Goes back to the room that this command has left by a crash, unless another one is named. @throws UsageError when there is none to join */
async function resumed({ api }: LocalRoom, command: Command<'host' | 'join'>): Promise<boolean> {
  const isHost = command.kind === 'host'
  const named = isHost ? command.room : command.code || undefined
  if (!command.resumes || named !== undefined) return false
  if (await api.resume(isHost ? 'host' : 'guest')) return true
  if (isHost) return false
  throw new UsageError(`There is no room to go back to. ${NO_CODE}`, 'join')
}

/** @throws UsageError when the code, a name or a port cannot be used */
async function start({ api }: LocalRoom, command: Command<'host' | 'join'>): Promise<void> {
  try {
    if (command.kind === 'join') {
      api.joinRoom(joinOrder(command))
    } else {
      const { name, gamePort, waitsForGame, isPrivate, ports } = command
      await api.hostRoom({
        playerName: name,
        room: command.room,
        gamePort,
        waitForGame: waitsForGame,
        resume: command.resumes,
        private: isPrivate || undefined,
        ports: [...ports],
      })
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid-request') throw error
    const isCode = command.kind === 'join' && readInvitation(command.code) === undefined
    const problem = isCode ? readRoomCode(command.code).problem : undefined
    if (problem) throw new CodeProblem(problem)
    const detail = OPTIONS.reduce((text, [field, option]) => text.replace(field, option), error.detail)
    throw new UsageError(detail, command.kind)
  }
}

/** The body that `POST /room/guest/start` would have. */
function joinOrder(command: Command<'join'>) {
  const { code, name, waits, keepPorts, localPort, resumes, acceptsNewHost } = command
  return {
    roomCode: code,
    playerName: name,
    wait: waits,
    keepPorts: [...keepPorts],
    localPort,
    resume: resumes,
    acceptNewHost: acceptsNewHost,
  }
}

/** Reports what happens, to a person, or with `--json` as the messages of the feed, one JSON object a line. @returns a function that ends it */
function report(
  { api }: LocalRoom,
  { json }: Command<'host' | 'join'>,
  { hasColour, language }: Program,
  screen: Screen,
  questions: Questions,
): () => void {
  if (json) {
    // As `/ws` sends them; a `status` has all fields of `GET /room/status`, the players included.
    return api.feed.subscribe((message) => {
      const fields = message.type === 'status' ? api.statusRecord() : {}
      process.stdout.write(`${JSON.stringify({ ...message, ...fields })}\n`)
    })
  }
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const reportChanges = createReporter({ screen, hasColour, language, elapsed, questions })
  const show = () => reportChanges(api.roomState.view())
  const unsubscribe = api.feed.subscribe(show)
  const timer = setInterval(show, REFRESH_MS)
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}
