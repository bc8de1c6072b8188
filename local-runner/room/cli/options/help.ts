import { COMMON_OPTIONS } from '../../../commandLine/optionTable'
import { renderHelp } from '../../../commandLine/renderHelp'
import { type CommandName, commandOptions } from './commandOptions'

/** The manual of a command, or of all of them; at most 80 columns wide. */
export function helpText(about: CommandName | undefined, version: string): string {
  if (about === undefined) return overview(version)
  const [title, ...notes] = TEXTS[about]
  const parts = [title, ...commandOptions(about), ...notes, { help: COMMON_OPTIONS.help }]
  return renderHelp(parts, { textColumn: 26, defaultColumn: 67 })
}

function overview(version: string): string {
  return `room ${version}: play in a friend's world by a room code

  room open               the room page in your browser
  room host               open a room for your world, and show its code
  room join CODE          join a friend's room; room CODE does it, too
  room doctor             what works on this machine, and what to do
  room report             one file about it for those who help, without secrets
  room serve              the service that launchers drive by HTTP and WebSocket
  room relay              a shared node, where members of rooms meet

  room COMMAND --help     the options of a command
  -V, --version           show the version, and stop; with --json also what
                          launchers can rely on

Examples
  room open
  room host --name Alex
  room join U/ABCD-EFGH-JKLM-NPQR --name Steve
  room serve --port-file room.json --exit-with-stdin

Exit codes
  0  done; for serve, open and relay: stopped in order
  1  refused or failed: what to do stands on standard error
  2  the command was typed wrong
  3  this machine lacks something: a port, a right to write, a network
  130, 143  stopped by Ctrl-C or SIGTERM (host and join)
`
}

/** The title of each command's manual, and what stands below its options. */
const TEXTS: Readonly<Record<CommandName, readonly [string, ...string[]]>> = {
  serve: [
    'room serve: the room service, for launchers',
    `ROOM_API_TOKEN in the environment is the token that every call has to bring.
The first line on standard output is {"event":"listening","url",…,"port","pid"}.`,
  ],
  open: [
    'room open: the room page in your browser',
    `Starts the service, unless it runs with the same data folder already, and
gives its token to the page.`,
  ],
  host: [
    'room host: opens a room for the world of this machine',
    `While it runs, type y or n to answer a player who wants to join (--approval),
and kick NAME to remove one.`,
  ],
  join: [
    "room join CODE: joins a friend's room",
    'CODE may be a whole pasted message: the code is found in it.',
  ],
  doctor: [
    'room doctor: tries what rooms need, and says what to do',
    'Exit code 0: players can meet, on the LAN or at a shared node. 3: they cannot.',
  ],
  report: [
    'room report: one file for those who help, about what went on here',
    `It has the log, the state of the room and its connections, the settings, and
what room doctor finds. Room codes, tokens, addresses of the internet and your
folders are left out or replaced by numbers.`,
  ],
  relay: [
    'room relay: a shared node, where members of rooms meet',
    `Each is a variable too: ROOM_RELAY_TCP_PORT, ROOM_RELAY_MAX_ROOMS, …
Its counters are logged every minute, and at SIGUSR1.`,
  ],
}
