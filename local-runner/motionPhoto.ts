import { composeCommandLine } from './cli/compose'
import { runCommandLine } from './cli/runCommandLine'

/** The command-line tool. The process ends by itself, so that everything it has written arrives. */
process.exitCode = await runCommandLine(process.argv.slice(2), composeCommandLine())
