import { inspect } from 'node:util'
import { doctor } from './doctor'
import { EXIT_OK, failureOf } from './failure'
import { helpText } from './help'
import { type Command, type GivenSettings, parseCommand } from './options'
import { play } from './play'
import type { Program } from './program'
import { relay } from './relay'
import { serve } from './serve'

/**
 * The whole command: reads its arguments, does the work, tells how it went.
 * @param args what was typed behind the program's name
 * @returns the exit code
 */
export async function runRoomCommand(args: readonly string[], program: Program): Promise<number> {
  const stdout = process.stdout
  const stderr = process.stderr
  // Whoever reads our output may go away in the middle of it; that is no failure of the work.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined)
  let given: GivenSettings | undefined
  try {
    const command = parseCommand(args, program.folder)
    if ('settings' in command) given = command.settings
    return await run(command)
  } catch (error) {
    const { exitCode, sentence, hint } = failureOf(error, given)
    stderr.write(`room: ${sentence}\n`)
    if (hint !== undefined) stderr.write(`What to do: ${hint}\n`)
    if (program.isDebugging) stderr.write(`${inspect(error)}\n`)
    return exitCode
  }

  async function run(command: Command): Promise<number> {
    switch (command.kind) {
      case 'help':
        stdout.write(helpText(command.about, program.version))
        return EXIT_OK
      case 'version':
        stdout.write(`${program.version}\n`)
        return EXIT_OK
      case 'serve':
        return serve(command, program)
      case 'host':
      case 'join':
        return play(command, program)
      case 'relay':
        return relay(command, program)
      case 'doctor':
        return doctor(command, program)
    }
  }
}
