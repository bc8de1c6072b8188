import { endWhenClosed } from './commandLine/lifetime'
import { composeProgram } from './room/cli/compose'
import { runRoomCommand } from './room/cli/runRoomCommand'

/** The command `room`. Without a top-level `await`, which executables cannot contain. */
async function main(): Promise<void> {
  const program = composeProgram()
  process.exitCode = await runRoomCommand(process.argv.slice(2), program)
  endWhenClosed(program.log)
}

void main()
