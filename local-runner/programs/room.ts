import { CONTRACT_VERSION, ServiceError } from '@lantern-room/base'
import { removedSettings } from '@lantern-room/base/settings'
import { modListOf, modNameOf } from '@lantern-room/protocol/invitation'
import { terminalWords } from '@lantern-room/room/words'
import { EXIT_OK, runProgram } from '../commandLine/failure'
import { endWhenClosed } from '../commandLine/lifetime'
import { UsageError } from '../commandLine/readArguments'
import { composeProgram, type Program } from '../room/cli/compose'
import { doctor } from '../room/cli/doctor'
import { failureOf } from '../room/cli/failure'
import { open } from '../room/cli/open'
import type { Command, GameChoice, GivenSettings } from '../room/cli/options/command'
import { COMMAND_NAMES, commandOptions, helpText } from '../room/cli/options/commandOptions'
import { parseRoomCommand, type RoomCommand } from '../room/cli/options/parseRoomCommand'
import { play } from '../room/cli/play'
import { ask } from '../room/cli/playerName'
import { relay } from '../room/cli/relay'
import { report } from '../room/cli/report'
import { serve } from '../room/cli/serve'
import { inLanguage } from '../room/cli/words/sentences'

/** @returns the exit code */
async function runRoomCommand(args: readonly string[], program: Program): Promise<number> {
  // What a double-click does.
  if (args.length === 0 && (process.platform === 'win32' || program.isInteractive)) {
    const exitCode = await runRoomCommand(['open'], program)
    if (exitCode !== EXIT_OK && process.stdin.isTTY) await ask(terminalWords(program.language)('pressEnter'))
    return exitCode
  }
  const { isDebugging } = program
  let given: GivenSettings | undefined
  let { language } = program
  return runProgram(
    'room',
    { isDebugging, failureOf: (thrown) => failureOf(thrown, given, language) },
    async () => {
      const command = parseRoomCommand(args, program.folder)
      if ('json' in command && command.json) language = 'en'
      if (!('settings' in command)) return run(command, program)
      given = command.settings
      for (const sentence of removedSettings(program.env))
        process.stderr.write(`${inLanguage(language, sentence)}\n`)
      return run(command, { ...program, env: { ...program.env, ...given.env } })
    },
  )
}

async function run(command: RoomCommand, program: Program): Promise<number> {
  switch (command.kind) {
    case 'help':
      process.stdout.write(helpText(command.about, program.version, program.language))
      return EXIT_OK
    case 'version':
      process.stdout.write(`${command.json ? JSON.stringify(describeVersion(program)) : program.version}\n`)
      return EXIT_OK
    case 'serve':
      return serve(command, program)
    case 'open':
      return open(command, program)
    case 'host':
    case 'join':
      return play({ ...command, game: await readGame(command, program) }, program)
    case 'relay':
      return relay(program)
    case 'doctor':
      return doctor(command, program)
    case 'report':
      return report(command, program)
  }
}

/** The game on this machine, with the mods of the folder that was named. @throws UsageError */
async function readGame(
  { kind, game }: Command<'host' | 'join'>,
  { listMods }: Program,
): Promise<GameChoice> {
  if (game.modsFolder === undefined) return game
  try {
    return { ...game, mods: modListOf((await listMods(game.modsFolder, '--mods-folder')).map(modNameOf)) }
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.detail, kind) : error
  }
}

/**
 * What `room --version --json` says, for launchers that choose between programs and versions. `features` are the commands, and
 * the options of each as `serve.port-file`.
 */
function describeVersion({ version }: Program): object {
  return {
    name: 'room',
    version,
    // The version of the HTTP API and the feed, as in `/meta`.
    contractVersion: CONTRACT_VERSION,
    features: COMMAND_NAMES.flatMap((command) => [
      command,
      ...commandOptions(command).flatMap((options) =>
        Object.keys(options).map((option) => `${command}.${option}`),
      ),
    ]),
    platform: `${process.platform}-${process.arch}`,
  }
}

/**
 * The command `room`, from its words to the exit code of this process.
 * @param args what was typed after its name
 */
export async function room(args: readonly string[]): Promise<void> {
  const program = composeProgram()
  process.exitCode = await runRoomCommand(args, program)
  // Players are shown no lines of a log.
  const isForPrograms = args[0] === 'serve' || args[0] === 'relay' || program.env.LOG_LEVEL !== undefined
  endWhenClosed(isForPrograms ? program.log : undefined)
}
