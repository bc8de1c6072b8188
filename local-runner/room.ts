import { composeProgram } from './room/cli/compose'
import { runRoomCommand } from './room/cli/runRoomCommand'

/** What has been written still has to arrive; whatever would keep the process longer is cut off. */
const LEAVE_AFTER_MS = 500

/** The command `room`. The process ends by itself. */
process.exitCode = await runRoomCommand(process.argv.slice(2), composeProgram())
setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref()
