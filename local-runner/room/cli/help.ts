import type { CommandName } from './flags'

/** The manual, at most 80 columns wide. */
export function helpText(about: CommandName | undefined, version: string): string {
  return about === undefined ? overview(version) : `${TEXTS[about]}${FOOT}`
}

function overview(version: string): string {
  return `room ${version}: play in a friend's world by a room code

  room host               open a room for your world, and show its code
  room join CODE          join a friend's room
  room doctor             what works on this machine, and what to do
  room serve              the service that launchers drive by HTTP and WebSocket
  room relay              a shared node, where members of rooms meet

  room COMMAND --help     the options of a command
  -V, --version           show the version, and stop

Examples
  room host --name Alex
  room join U/ABCD-EFGH-JKLM-NPQR --name Steve
  room serve --port-file room.json --exit-with-stdin

Exit codes
  0  done; for serve and relay: stopped in order
  1  refused or failed: what to do stands on standard error
  2  the command was typed wrong
  3  this machine lacks something: a port, a right to write, a network
  130, 143  stopped by Ctrl-C or SIGTERM (host and join)
`
}

const NETWORK = `
  --nodes LIST            shared nodes: tcp://host:port, udp, ws, wss, http(s)
                          lists, with commas between; '' for the LAN alone
  --direct on|off         connect to each other directly           (on)
  --lan-interfaces LIST   addresses or names; 127.0.0.1 stays here (all)
  --stun LIST             host:port of STUN servers; '' for none
  --data-dir DIR          who this player is
  --log-level LEVEL       debug, info, warn, error
`

const TEXTS: Readonly<Record<CommandName, string>> = {
  serve: `room serve: the room service, for launchers

  --port N                where to listen on 127.0.0.1; taken: the next free
                          one; 0: any                              (5062)
  --port-file FILE        write {"event":"listening",…} there, too
  --parent-pid PID        stop when this process ends
  --exit-with-stdin       stop when standard input is closed
  --allowed-origins LIST  web pages that may call it
  --private               rooms are private unless the order says otherwise
  --scaffolding-port N    the host's room protocol                 (13448)
  --heartbeat-ms N        how often a guest tells that it is there (5000)
${NETWORK}
ROOM_API_TOKEN in the environment is the token that every call has to bring.
The first line on standard output is {"event":"listening","url",…,"port","pid"}.
`,
  host: `room host: opens a room for the world of this machine

  --name NAME             how others see you                       (Host)
  --game-port PORT        the world's port    (the world that is open to LAN)
  --room CODE             open the room with this code again       (a new one)
  --private               only this software can join, and no shared node can
                          find the key
  --no-wait               open the room before there is a world
  --json                  the messages of the feed as lines of JSON
  --scaffolding-port N    the room protocol                        (13448)
${NETWORK}`,
  join: `room join CODE: joins a friend's room

  --name NAME             how others see you                       (Guest)
  --json                  the messages of the feed as lines of JSON
  --heartbeat-ms N        how often the host is told that you are there (5000)
${NETWORK}
CODE may be a whole pasted message: the code is found in it.
`,
  doctor: `room doctor: tries what rooms need, and says what to do

  --json                  one JSON object
  --port N                the port of the service                  (5062)
  --scaffolding-port N    the room protocol                        (13448)
  --private               leave out what concerns open rooms
${NETWORK}
Exit code 0: players can meet, on the LAN or at a shared node. 3: they cannot.
`,
  relay: `room relay: a shared node, where members of rooms meet

  --tcp PORT              0: none, any: a free one                 (11010)
  --udp PORT                                                       (11010)
  --ws PORT                                                        (11011)
  --host ADDRESS          where to listen                          (everywhere)
  --name NAME             shown as PublicServer_NAME               (lantern)
  --max-rooms N                                                    (1000)
  --max-members N         of one room                              (64)
  --links-per-address N   of one address                           (32)
  --bytes-per-second N    of one room                              (10000000)
  --log-level LEVEL       debug, info, warn, error                 (info)

Each is a variable too: ROOM_RELAY_TCP_PORT, ROOM_RELAY_MAX_ROOMS, …
Its counters are logged every minute, and at SIGUSR1.
`,
}

const FOOT = `
  -h, --help              show this, and stop
`
