import { randomBytes } from 'node:crypto'
import { terminalWords } from '@lantern-room/room/words'
import { EXIT_OK } from '../../commandLine/failure'
import { roomDataFolder } from '../compose'
import { findInstance, type Instance } from '../instance'
import type { Program } from './compose'
import type { Command } from './options/command'
import { runService } from './runService'
import { inLanguage } from './words/sentences'

const TOKEN_BYTES = 24

/**
 * `room open`: shows the room page in the browser. Without a service that runs with the same data folder it is the service
 * itself, until it is ended, with a token of its own unless ROOM_API_TOKEN is set.
 * @returns the exit code
 * @throws ConfigError; ServiceError `unavailable`
 */
export async function open(command: Command<'open'>, program: Program): Promise<number> {
  const { env } = program
  const words = terminalWords(program.language)
  void program.registerLinks()
  const running = await findInstance(roomDataFolder(env))
  if (running) {
    const ignored = [...command.settings.flagOf.values()].filter((flag) => flag !== '--data-dir')
    if (ignored.length > 0)
      say(inLanguage(program.language, `The service runs already, without ${ignored.join(', ')}.`))
    await show(running, command, program)
    return EXIT_OK
  }
  const token = env.ROOM_API_TOKEN || randomBytes(TOKEN_BYTES).toString('base64url')
  await runService(
    { ...env, ROOM_API_TOKEN: token },
    {
      lifetime: {
        withStarter: program.isByNpm,
        onEnd: () => say(words('stopping')),
      },
      // A person reads this instead of the log, unless LOG_LEVEL asks for it.
      ...(!env.LOG_LEVEL && { writeLog: () => {} }),
      async onListening({ port }) {
        await show({ port, token }, command, program)
        say(words('pageRuns'))
      },
    },
  )
  return EXIT_OK
}

async function show(
  instance: Pick<Instance, 'port' | 'token'>,
  { opensBrowser, invitation }: Command<'open'>,
  program: Program,
): Promise<void> {
  const url = pageUrl(instance, invitation)
  const words = terminalWords(program.language)
  say(words('page', { url }))
  if (!opensBrowser || (await program.openInBrowser(url))) return
  say(words('noBrowser'))
}

/** The page takes the token and the invitation out of its address. */
function pageUrl({ port, token }: Pick<Instance, 'port' | 'token'>, invitation: string | undefined): string {
  const given = [
    ['token', token],
    ['invitation', invitation?.replace(/^lantern-room:[/#]*/i, '')],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
  return `http://127.0.0.1:${port}/${given.length > 0 ? '#' : ''}${given.join('&')}`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
