import { endWhenClosed } from './commandLine/lifetime'
import { composeProgram } from './room/cli/compose'
import { runRoomCommand } from './room/cli/runRoomCommand'

/** The command `room`. Without a top-level `await`, which executables cannot contain. */
async function main(): Promise<void> {
  const program = composeProgram()
  const args = process.argv.slice(2)
  process.exitCode = await runRoomCommand(args, program)
  // Players are shown no lines of a log.
  const isForPrograms = args[0] === 'serve' || args[0] === 'relay' || program.env.LOG_LEVEL !== undefined
  endWhenClosed(isForPrograms ? program.log : undefined)
}

void main()
