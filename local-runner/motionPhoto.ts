import { setFlagsFromString } from 'node:v8'
import { composeCommandLine } from './cli/compose'
import { runCommandLine } from './cli/runCommandLine'

// A photo is a few arrays of megabytes beside a heap of ten. By default V8 would go through that heap thrice for each.
setFlagsFromString('--heap-growing-percent=400')

/** The command-line tool. The process ends by itself, so that everything it has written arrives. */
process.exitCode = await runCommandLine(process.argv.slice(2), composeCommandLine())
