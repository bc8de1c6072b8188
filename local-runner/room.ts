import { endWhenClosed } from './commandLine/endWhenClosed'
import { composeProgram } from './room/cli/compose'
import { runRoomCommand } from './room/cli/runRoomCommand'

/** The command `room`. */
const program = composeProgram()
process.exitCode = await runRoomCommand(process.argv.slice(2), program)
endWhenClosed(program.log)
